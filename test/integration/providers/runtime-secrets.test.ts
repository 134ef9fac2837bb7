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

const password = 'hunter2 & hunter';
const key = 'key-of-the-store';
const code = `import { execFileSync, spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { once } from 'node:events';
import { inspect } from 'node:util';
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
  async grandchild(password) {
    const inner = 'echo "grandchild of $1" >&2';
    const child = spawn('sh', ['-c', 'sh -c "$0" x "$1"', inner, password]);
    child.stderr.pipe(process.stderr);
    await once(child, 'close');
    throw new Error('no');
  },
  sync(password) {
    execFileSync('sh', ['-c', 'echo "from $0" >&2; exit 1', password]);
  },
  log(password, log) {
    log.warn('logs ' + password, { field: { [password]: 1 }, text: JSON.stringify({ password }) });
    throw new Error('no');
  },
  async shapes(password) {
    console.error(inspect({ nested: { deep: { list: [password] } } }, { depth: null }));
    console.table([{ password }]);
    console.log('%o %j', { password }, { password });
    console.log(new URL('https://store.example/?p=' + encodeURIComponent(password)).href);
    console.error(new Error('stack with ' + password).stack);
    process.stdout.write('in two ' + password.slice(0, 5));
    await new Promise((resolve) => setTimeout(resolve, 1));
    process.stdout.write(password.slice(5) + '\\n');
    throw new Error('no');
  },
  async crash(password) {
    setTimeout(() => { throw new Error('Boom with ' + password, { cause: new Error(password) }); }, 1);
    await new Promise(() => undefined);
  },
  raw(password) {
    const inherited = { stdio: 'inherit' };
    execFileSync('sh', ['-c', 'printf "two parts %s" hunter; printf "2 & hunter\\n"; echo "inherited $0" >&2', password], inherited);
    writeSync(process.stdout.fd, 'descriptor ' + password.slice(0, 5));
    writeSync(1, password.slice(5) + '\\nzürich\\n');
    writeSync(2, 'the other ' + JSON.stringify({ password }) + '\\n');
    writeSync(1, 'x'.repeat(262_140) + password + 'y'.repeat(70_000) + ' the rest of ' + password + '\\nnext\\n');
    spawn('sh', ['-c', 'sleep 0.3; echo "later $0"', password], { ...inherited, detached: true });
    throw new Error('no');
  },
  native(password) {
    execFileSync('sh', ['-c', 'printf "native %s" "$0" >&2; kill -ABRT $PPID', password], { stdio: 'inherit' });
    return new Promise(() => undefined);
  },
  async exit(password) {
    process.stdout.write('the last part, ' + password);
    process.exit(3);
  },
};
const shop = provider('shop', {
  settings: z.object({ key: secret }),
  check({ settings, log }) {
    log.info('checks ' + settings.key);
    writeSync(1, 'writes ' + settings.key + '\\n');
  },
  start({ settings }) { console.error('starts with %s', settings.key); },
});
const cart = shop.resource('cart', {
  description: 'A cart',
  config: z.object({ password: secret }),
  outputs: z.object({ url: z.string() }),
  create: ({ name, config, settings, log }) => {
    execFileSync('sh', ['-c', 'echo "key $0"', settings.key], { stdio: 'inherit' });
    console.log('uses', settings, config);
    return handlers[name](config.password, log);
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
  grandchild: ['grandchild of [masked]\n'],
  sync: ['from [masked]\n', 'Command failed: sh -c'],
  log: ['"message":"logs [masked]"', '{\\"password\\":\\"[masked]\\"}'],
  shapes: [
    "list: [ '[masked]' ]",
    '{ password: \'[masked]\' } {"password":"[masked]"}',
    'https://store.example/?p=[masked]\n',
    'Error: stack with [masked]\n',
    'in two [masked]\n',
  ],
  raw: [
    'two parts [masked]\n',
    'inherited [masked]\n',
    'descriptor [masked]\nzürich\n',
    'the other {"password":"[masked]"}\n',
    '\nnext\n',
    'later [masked]\n',
  ],
  native: ['native [masked]', 'A process of the provider has ended'],
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
  const always = ['checks [masked]', 'writes [masked]', 'starts with [masked]', 'key [masked]\n'];
  for (const text of [...always, ...shown]) {
    expect(printed).toContain(text);
  }
  expect(printed).toContain("uses { key: '[masked]' } { password: '[masked]' }\n");
  for (const canary of [password, key])
    for (const spelling of [canary, encodeURIComponent(canary)])
      expect(printed + JSON.stringify(body)).not.toContain(spelling);
});
