// No secret of an event leaves its process in what the handler prints, logs or throws: on a real socket, with the streams of the process.
import { Console } from 'node:console';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Call, ServedProvider } from '../../../../src/sdk/index.ts';
import { from, later, provider, serve, z } from '../../../../src/sdk/index.ts';
import { jsonLines } from '../../../../src/sdk/logs/log.ts';
import { anEvent, deliveryOf, signingFairlead } from '../../../support/servers/signing-fairlead.ts';
import { gate } from '../served-carts.ts';

const password = 'hunter2hunter';
const streams = [process.stdout, process.stderr] as const;
const before = streams.map((stream) => Object.getOwnPropertyDescriptor(stream, 'write'));
let written: string[];
const stops: (() => Promise<void>)[] = [];

beforeEach(() => {
  written = [];
  for (const stream of streams) {
    stream.write = ((chunk: string | Buffer) => {
      written.push(chunk.toString());
      return true;
    }) as typeof stream.write;
  }
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  for (const [at, stream] of streams.entries()) {
    const own = before[at];
    if (own === undefined) Reflect.deleteProperty(stream, 'write');
    else Object.defineProperty(stream, 'write', own);
  }
});

/** That of Node: the test runner replaces the global one. */
const console = new Console(process.stdout, process.stderr);

interface Config {
  readonly password: string;
  readonly note?: unknown;
}
type Handler = (
  call: Call<Config> & { outputs?: { token?: string } },
) => Promise<{ token: string } | ReturnType<typeof later>>;

const Marked = z.string().meta({ sensitive: true });

const keys: Readonly<Record<string, string>> = {
  key: 'the-key-of-the-store',
  url: 'https://me:pa55word@store.example',
};

/** @returns what sends an event to the handler */
async function serving(handler: Handler, { settings = keys } = {}) {
  const fairlead = await signingFairlead();
  const shop = provider('shop', {
    settings: z.object({ url: z.string().default(''), key: Marked.default('') }),
    start({ settings, log }) {
      if (settings.key !== '') log.info(`begins with ${settings.key}`);
      return { ping: () => console.log(`ping ${settings.key}`) };
    },
  });
  const cart = shop.resource('cart', {
    description: 'A cart',
    version: 2,
    config: z.object({ password: Marked, note: z.unknown().optional() }),
    outputs: z.object({ token: Marked }),
    migrations: [
      from(1, { config: z.object({ secret: Marked }), outputs: z.object({ token: Marked }) }).to(
        ({ secret }) => ({ password: secret }),
        (outputs) => outputs,
      ),
    ],
    create: (call) => handler(call as never) as never,
    update: (call) => handler(call as never) as never,
    delete: () => undefined,
  });
  const served: ServedProvider = await serve(shop.types(cart), {
    fairlead: fairlead.url,
    port: 0,
    log: jsonLines,
    settings,
  });
  stops.push(async () => {
    await served.close(0);
    await fairlead.close();
  });
  return async (changes: Parameters<typeof anEvent>[0] = {}) => {
    const event = anEvent({ config: { password }, schemaVersion: 2, ...changes });
    const response = await fetch(served.url, {
      method: 'POST',
      ...deliveryOf(event, fairlead.signer),
    });
    return (await response.json()) as { error?: { message: string }; log?: string[] };
  };
}

function failingAfter(work: (call: Parameters<Handler>[0]) => unknown): Handler {
  return async (call) => {
    await work(call);
    throw new Error('no');
  };
}

const all = () => written.join('');

it('the error of a handler is masked in the answer and in the line of the log', async () => {
  const send = await serving(({ config }) => {
    throw new Error(`no luck with ${config.password}`, { cause: new Error(config.password) });
  });
  const { error, log } = await send();
  expect(error?.message).toBe('no luck with [masked], caused by [masked]');
  expect(log?.join('\n')).toContain('no luck with [masked]');
  const line = JSON.parse(
    written.find((text) => text.includes('A handler failed')) ?? '{}',
  ) as object;
  expect(line).toMatchObject({
    level: 'error',
    resource: 'shop/cart/mine',
    error: expect.stringMatching(/^Error: no luck with \[masked\]\n {4}at /),
  });
  expect(all()).not.toContain(password);
  expect(log?.join('\n')).not.toContain(password);
});

class StoreError extends Error {
  readonly body: string;
  constructor(body: string) {
    super(`refused ${body}`);
    this.body = body;
  }
}

const printed: Record<string, (call: Parameters<Handler>[0]) => unknown> = {
  'what it prints': ({ config }) => console.log('with', config),
  'what it prints in pieces': async ({ config }) => {
    process.stdout.write(`with ${config.password.slice(0, 3)}`);
    await Promise.resolve();
    process.stdout.write(config.password.slice(3));
    process.stdout.write(', the end\n');
  },
  'what it prints as bytes': ({ config }) =>
    process.stderr.write(Buffer.from(`${config.password}\n`)),
  'what it prints encoded': ({ config }) =>
    process.stderr.write(Buffer.from(`${config.password}\n`).toString('hex'), 'hex'),
  'what it prints without an end': ({ config }) => process.stdout.write(config.password),
  'messages of its log': ({ config, log }) => log.info(`with ${config.password}`),
  'fields of its log': ({ config, log }) => log.warn('with', { config, [config.password]: [1n] }),
  'a text of JSON in a field': ({ config, log }) =>
    log.info('with', { body: JSON.stringify({ text: JSON.stringify(config) }) }),
  'an error in a field': ({ config, log }) =>
    log.error('with', { error: new StoreError(JSON.stringify(config)) }),
  'what timers print': async ({ config }) => {
    const { passed, open } = gate();
    setTimeout(() => {
      console.error(config.password);
      open();
    }, 1);
    await passed;
  },
};

it.each(Object.entries(printed))('%s is masked', async (_name, work) => {
  const send = await serving(failingAfter(work));
  const { log } = await send();
  expect(all()).toContain('[masked]');
  expect(all()).not.toContain(password);
  expect(log?.join('\n')).toContain('[masked]');
  expect(log?.join('\n')).not.toContain(password);
});

it('a secret that is escaped twice is found in the fields of a log', async () => {
  const quoted = 'a"b\\c"d';
  const send = await serving(
    failingAfter(({ config, log }) => log.info('with', { body: JSON.stringify(config) })),
  );
  await send({ config: { password: quoted } });
  expect(all()).toContain('{\\"password\\":\\"[masked]\\"}');
});

it('each line of a secret is one, also where an object is printed', async () => {
  const key = '-----BEGIN KEY-----\nfirst-line-of-key\nsecond-line-of-key\n-----END KEY-----';
  const send = await serving(failingAfter(({ config }) => console.log(config)));
  await send({ config: { password: key } });
  expect(all()).not.toMatch(/first-line|second-line/);
});

it('knows outputs, the config before, values of an earlier version and the settings', async () => {
  const send = await serving(
    failingAfter(({ outputs, ...call }) => {
      const { previousConfig } = call as never as { previousConfig: Config };
      const { settings } = call as never as { settings: { key: string; url: string } };
      console.log(call.config.password, previousConfig.password, outputs?.token);
      console.log(settings.key, new URL(settings.url).password);
      (call as never as { ping(): void }).ping();
    }),
  );
  await send({
    type: 'UPDATE',
    config: { secret: 'of-the-config' },
    schemaVersion: 1,
    previousConfig: { secret: 'of-before' },
    previousSchemaVersion: 1,
    outputs: { token: 'of-the-outputs' },
    outputsSchemaVersion: 2,
  });
  expect(written).toContain('[masked] [masked] [masked]\n');
  expect(written).toContain('[masked] [masked]\n');
  expect(written).toContain('ping [masked]\n');
  expect(all()).toContain('begins with [masked]');
});

it('masks what Fairlead says is secret, although the type does not mark it', async () => {
  const send = await serving(failingAfter(({ config }) => console.log('with', config.note)));
  const note = { url: 'postgres://me:of-another@db.example/x' };
  await send({ config: { password, note }, secrets: ['/config/note/url'] });
  expect(all()).toContain("with { url: '[masked]' }");
});

it('a password of an address that is secret is masked alone, too', async () => {
  const send = await serving(failingAfter(() => console.log('with of-another')));
  const note = 'postgres://me:of-another@db.example/x';
  await send({ config: { password, note }, secrets: ['/config/note'] });
  expect(written).toContain('with [masked]\n');
});

it('an event knows its own secrets only, and what it made after it returned it', async () => {
  const gates = [gate(), gate()];
  const send = await serving(async ({ name, config }) => {
    if (name === 'one') await gates[0]?.passed;
    console.log(`${name} ${password} second-password third-token`);
    if (name === 'two') {
      gates[0]?.open();
      setTimeout(() => {
        console.log('late third-token');
        gates[1]?.open();
      }, 30);
    }
    return { token: config.password === password ? 'other' : 'third-token' };
  });
  const one = send({ id: 'evt-1', name: 'one' });
  const two = send({ id: 'evt-2', name: 'two', config: { password: 'second-password' } });
  await Promise.all([one, two]);
  await gates[1]?.passed;
  expect(written).toContain('one [masked] second-password third-token\n');
  expect(written).toContain(`two ${password} [masked] third-token\n`);
  expect(written).toContain('late [masked]\n');
});

it('messages of `later` are masked', async () => {
  const send = await serving(async ({ config }) =>
    later('1s', { message: `with ${config.password}` }),
  );
  expect(await send()).toMatchObject({ message: 'with [masked]' });
});

it('writes the fields by which lines are found, and numbers, as they are', async () => {
  const send = await serving(
    failingAfter(({ log }) => log.info('asks', { size: 4711, cart: 'mine' })),
  );
  await send({ config: { password: 'shop/cart/mine', note: 4711 }, secrets: ['/config/note'] });
  const line = JSON.parse(written.find((text) => text.includes('"asks"')) ?? '{}') as object;
  expect(line).toMatchObject({
    resource: 'shop/cart/mine',
    attempt: 1,
    size: '[masked]',
    cart: 'mine',
  });
});

it('writes the chunks of an event without secrets as they are', async () => {
  const send = await serving(
    failingAfter(() => {
      process.stdout.write('a part');
      console.log(`, its end, and ${password}`);
    }),
    { settings: {} },
  );
  await send({ config: { password: '' } });
  expect(written.slice(0, 2)).toEqual(['a part', `, its end, and ${password}\n`]);
});
