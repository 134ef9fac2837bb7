// The process of a provider prints no secret of an event or of its settings, whatever its code does: to its log, in pieces, from a child
// process, and in its last words.
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type Files,
  packageFolder,
  shopManifest,
} from '../../support/fixtures/code/package-folder.ts';
import { eventually } from '../../support/runner/eventually.ts';
import {
  ended,
  type ProviderProcesses,
  providerProcesses,
  served,
} from '../../support/servers/provider-process.ts';

const password = 'hunter2hunter';
const key = 'key-of-the-store';
const code = `import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { provider, z } from 'fairlead/provider';

const secret = z.string().meta({ sensitive: true });
const handlers = {
  error(password) { throw new Error('no luck with ' + password); },
  async child(password) {
    const child = spawn(process.execPath, ['-e', 'console.log("child of", process.argv[1])', password]);
    child.stdout.pipe(process.stdout);
    await once(child, 'close');
    throw new Error('no');
  },
  async crash(password) {
    setTimeout(() => { throw new Error('Boom with ' + password, { cause: new Error(password) }); }, 1);
    await new Promise(() => undefined);
  },
  async exit(password) {
    process.stdout.write('the last part, ' + password);
    process.exit(3);
  },
};
const shop = provider('shop', {
  settings: z.object({ key: secret }),
  check({ settings, log }) { log.info('checks ' + settings.key); },
  start({ settings }) { console.error('starts with %s', settings.key); },
});
const cart = shop.resource('cart', {
  description: 'A cart',
  config: z.object({ password: secret }),
  outputs: z.object({ url: z.string() }),
  create: ({ name, config, settings }) => {
    console.log('uses', settings, config);
    return handlers[name](config.password);
  },
  update: () => ({ url: 'x' }),
  delete: () => undefined,
});
export default shop.types(cart);
`;
const files: Files = { 'package.json': shopManifest, 'index.ts': code };

let processes: ProviderProcesses;

beforeEach(async () => {
  processes = await providerProcesses();
});

afterEach(() => processes[Symbol.asyncDispose]());

const texts: Record<string, readonly string[]> = {
  error: ['"error":"Error: no luck with [masked]'],
  child: ['child of [masked]\n'],
  crash: [
    '\nError: Boom with [masked]\n',
    '[cause]: Error: [masked]',
    'ended the process: Error: Boom with [masked]',
  ],
  exit: ['the last part, [masked]', 'process.exit(3)'],
};

it.each(Object.entries(texts))('a handler that shows a secret: %s', async (name, shown) => {
  await using settings = await packageFolder({ key });
  const shop = await processes.start(files, { more: ['--settings', settings.code] });
  const end = ended(shop);
  const url = await served(shop);
  const { body } = await processes.post(url, { name, config: { password } });
  await eventually(() => expect(shop.printed()).toContain(shown.at(-1)));
  shop.child.kill('SIGTERM');
  await end;
  const printed = shop.printed();
  for (const text of ['checks [masked]', 'starts with [masked]', ...shown]) {
    expect(printed).toContain(text);
  }
  expect(printed).toContain("uses { key: '[masked]' } { password: '[masked]' }\n");
  for (const canary of [password, key])
    expect(printed + JSON.stringify(body)).not.toContain(canary);
});
