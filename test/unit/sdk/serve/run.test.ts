import { expect, it } from 'vitest';
import type { EventBody } from '../../../../src/domain/event.ts';
import { eventBody, type OutgoingEvent } from '../../../../src/events/protocol.ts';
import {
  type Call,
  type DeleteCall,
  fail,
  type HandlerLog,
  later,
  provider,
  retry,
  type UpdateCall,
  z,
} from '../../../../src/sdk/index.ts';
import { runEvent } from '../../../../src/sdk/serve/run.ts';
import { anEvent } from '../../../support/servers/signing-fairlead.ts';

const quiet: HandlerLog = { debug() {}, info() {}, warn() {}, error() {} };
const Config = z.strictObject({ size: z.int().min(1), color: z.string().default('red') });
const Outputs = z.object({ url: z.string(), made: z.boolean().default(true) });
type AnyCall = Call<unknown> & Partial<UpdateCall<unknown, unknown> & DeleteCall<unknown, unknown>>;

interface Run {
  readonly event?: Partial<OutgoingEvent>;
  /** The behaviour of all three handlers. */
  readonly handler?: (call: AnyCall) => unknown;
  readonly outputs?: z.ZodType<Readonly<Record<string, unknown>>>;
  readonly log?: HandlerLog;
  readonly codeFolder?: string;
}

async function run({
  event,
  handler = () => ({ url: 'x' }),
  outputs,
  log = quiet,
  ...place
}: Run = {}) {
  const calls: AnyCall[] = [];
  const called = (call: AnyCall) => {
    calls.push(call);
    return handler(call) as { url: string };
  };
  const shop = provider('shop');
  const cart = shop.resource('cart', {
    description: 'A cart',
    config: Config,
    outputs: outputs ?? Outputs,
    create: called,
    update: (call) => called(call as AnyCall),
    delete: (call) => called(call as AnyCall) as never,
  });
  const body: EventBody = eventBody(anEvent(event));
  const { signal } = new AbortController();
  const reply = await runEvent(shop.types(cart), body, { signal, log, ...place });
  return { ...reply, calls };
}

it('passes the config with its defaults and the data of the event', async () => {
  const { status, body, calls } = await run({
    event: { id: 'evt-7', attempt: 4, context: { operation: 'op-1' } },
  });
  expect({ status, body }).toEqual({
    status: 200,
    body: { outputs: { url: 'x', made: true }, outputs_schema_version: 1 },
  });
  expect(calls).toEqual([
    expect.objectContaining({
      config: { size: 3, color: 'red' },
      key: 'evt-7',
      organization: 'acme',
      project: 'default',
      resource: 'cart',
      name: 'mine',
      attempt: 4,
      sequence: 7,
      context: { operation: 'op-1' },
    }),
  ]);
});

it('passes the previous config and the outputs to an update', async () => {
  const { calls } = await run({
    event: { type: 'UPDATE', previousConfig: { size: 1 }, outputs: { url: 'old' } },
  });
  expect(calls).toMatchObject([
    { previousConfig: { size: 1, color: 'red' }, outputs: { url: 'old', made: true } },
  ]);
});

it('passes data of an older release unchanged when it does not match any more', async () => {
  const { status, calls } = await run({
    event: { type: 'UPDATE', previousConfig: { width: 9 }, outputs: { address: 'old' } },
  });
  expect(status).toBe(200);
  expect(calls).toMatchObject([{ previousConfig: { width: 9 }, outputs: { address: 'old' } }]);
});

it('deletes a resource with an invalid config', async () => {
  const { status, body, calls } = await run({
    event: { type: 'DELETE', config: { width: 9 }, outputs: { url: 'old' } },
    handler: () => undefined,
  });
  expect({ status, body }).toEqual({ status: 200, body: { outputs: {} } });
  expect(calls).toMatchObject([{ config: { width: 9 }, outputs: { url: 'old' } }]);
});

it('deletes what was never created, without outputs', async () => {
  const { status, calls } = await run({ event: { type: 'DELETE' }, handler: () => undefined });
  expect(status).toBe(200);
  expect(calls[0]?.outputs).toEqual({});
});

const circular: Record<string, unknown> = {};
circular['self'] = circular;
const anyOutputs = z.object({ url: z.any() });

interface Ending extends Run {
  readonly status: number;
  readonly body: unknown;
}

const error = (code: string, message: unknown) => ({ error: { code, message } });

const endings: Record<string, Ending> = {
  'a config that violates the schema, without calling the handler': {
    event: { config: { size: 0, more: 1 } },
    handler: () => {
      throw new Error('called');
    },
    status: 422,
    body: error('invalid_config', expect.stringMatching(/^size: .+; value: .*more/)),
  },
  'an unknown type': {
    event: { resource: 'shelf' },
    status: 422,
    body: error('unknown_type', 'This provider has no type shelf'),
  },
  'a handler that throws': {
    handler: () => {
      throw new Error('connection lost\n    at secret/path.ts');
    },
    status: 500,
    body: error('handler_error', 'connection lost'),
  },
  'a handler that rejects': {
    handler: () => Promise.reject(new Error('connection lost')),
    status: 500,
    body: error('handler_error', 'connection lost'),
  },
  'a handler that throws a string': {
    handler: () => {
      throw 'out of carts';
    },
    status: 500,
    body: error('handler_error', 'out of carts'),
  },
  'a handler that throws a value without a string form': {
    handler: () => {
      throw Object.create(null);
    },
    status: 500,
    body: error('handler_error', expect.any(String)),
  },
  'a handler that throws an error whose message is not a string': {
    handler: () => {
      throw Object.assign(new Error(), { message: { nested: true } });
    },
    status: 500,
    body: error('handler_error', expect.any(String)),
  },
  'a request that got no answer, with the cause': {
    handler: async () => {
      await fetch('http://127.0.0.1:1');
    },
    status: 500,
    body: error(
      'handler_error',
      expect.stringMatching(
        /^fetch failed, caused by (?:bad port|connect ECONNREFUSED 127.0.0.1:1)$/,
      ),
    ),
  },
  'causes of an error, each in a line': {
    handler: () => {
      const refused = new Error('connect ECONNREFUSED ::1:9');
      const cause = new AggregateError([refused], '', { cause: new Error('last\nmore') });
      throw new Error('no luck\nagain', { cause: new Error('fetch failed', { cause }) });
    },
    status: 500,
    body: error(
      'handler_error',
      'no luck, caused by fetch failed, caused by connect ECONNREFUSED ::1:9, caused by last',
    ),
  },
  'a very long error': {
    handler: () => {
      throw new Error('x'.repeat(1_000_000));
    },
    status: 500,
    body: error('handler_error', `${'x'.repeat(2_047)}…`),
  },
  'a handler that fails terminally': {
    handler: () => fail('quota_exceeded', 'No more carts'),
    status: 422,
    body: error('quota_exceeded', 'No more carts'),
  },
  'a handler that returns later': {
    handler: () => later('2m', { message: 'Copying', context: { operation: 'op-1' } }),
    status: 202,
    body: { retry_after: 120, message: 'Copying', context: { operation: 'op-1' } },
  },
  'a handler that returns later without a message': {
    handler: () => later(1),
    status: 202,
    body: { retry_after: 1 },
  },
  'a delete that returns later': {
    event: { type: 'DELETE' },
    handler: () => later(1),
    status: 202,
    body: { retry_after: 1 },
  },
  'a context that is not JSON': {
    handler: () => later(1, { context: circular as never }),
    status: 500,
    body: error('handler_error', expect.stringContaining('JSON')),
  },
  'outputs that violate their schema': {
    handler: () => ({ address: 'x' }),
    status: 422,
    body: error('invalid_outputs', expect.stringMatching(/^url: /)),
  },
  'outputs of 256 KiB': {
    handler: () => ({ url: 'x'.repeat(262_144 - 22) }),
    status: 200,
    body: { outputs: { url: expect.any(String), made: true }, outputs_schema_version: 1 },
  },
  'outputs that are one byte larger': {
    handler: () => ({ url: 'x'.repeat(262_144 - 21) }),
    status: 422,
    body: error('outputs_too_large', expect.stringMatching(/^The outputs have 262145 bytes/)),
  },
  'no outputs at all': {
    handler: () => undefined,
    status: 422,
    body: error('invalid_outputs', expect.stringMatching(/^value: /)),
  },
  'outputs that look like a later': {
    outputs: z.object({ kind: z.string(), seconds: z.number() }),
    handler: () => ({ kind: 'later', seconds: 5 }),
    status: 200,
    body: { outputs: { kind: 'later', seconds: 5 }, outputs_schema_version: 1 },
  },
  'outputs with a number that JSON cannot represent': {
    outputs: anyOutputs,
    handler: () => ({ url: 10n }),
    status: 422,
    body: error('invalid_outputs', expect.stringContaining('JSON')),
  },
  'circular outputs': {
    outputs: anyOutputs,
    handler: () => ({ url: circular }),
    status: 422,
    body: error('invalid_outputs', expect.stringContaining('JSON')),
  },
};

it.each(Object.entries(endings))('answers %s', async (_name, { status, body, ...how }) => {
  const answered = await run(how);
  expect({ status: answered.status, body: answered.body }).toEqual({ status, body });
  expect(JSON.parse(JSON.stringify(answered.body)), 'it can be sent').toEqual(answered.body);
});

it('answers although the log throws', async () => {
  const broken = () => {
    throw new Error('disk full');
  };
  const log = { debug: broken, info: broken, warn: broken, error: broken };
  const handler = () => {
    throw new Error('connection lost');
  };
  await expect(run({ log, handler })).resolves.toMatchObject({ status: 500 });
});

it('never includes values of a config in an error', async () => {
  const config = { size: 'hunter2', hunter3: 'hunter2' };
  const { body } = await run({ event: { config } });
  expect(JSON.stringify(body)).not.toContain('hunter2');
});

it('asks Fairlead to wait, also in a helper that a handler calls', async () => {
  const helper = () =>
    retry({ after: '1.2s', code: 'rate_limited', message: 'Slow down', scope: 'provider' });
  const { status, body, retryAfter } = await run({ handler: () => helper() });
  expect({ status, body, retryAfter }).toEqual({
    status: 429,
    body: { error: { code: 'rate_limited', message: 'Slow down' }, retry_scope: 'provider' },
    retryAfter: 2,
  });
});

it('warns of a wait of more than an hour', async () => {
  const warned: string[] = [];
  const log = { ...quiet, warn: (message: string) => void warned.push(message) };
  const wish = { code: 'full', message: 'No room' };
  await run({ handler: () => later('2h'), log });
  await run({ handler: () => retry({ ...wish, after: '2h' }), log });
  await run({ handler: () => later('1h'), log });
  await run({ handler: () => retry({ ...wish, after: '1h' }), log });
  const warning = expect.stringContaining('asks to wait for 7200 s');
  expect(warned).toEqual([warning, warning]);
});

it('warns of a code that cannot be recorded as it is', async () => {
  const warned: string[] = [];
  const log = { ...quiet, warn: (message: string) => void warned.push(message) };
  await run({ handler: () => fail('Ä code' as string, 'No'), log });
  await run({ handler: () => fail('quota_exceeded', 'No'), log });
  expect(warned).toEqual([expect.stringContaining('"Ä code" is recorded as "__code"')]);
});

it('shows no folder of the pod in the error of a handler', async () => {
  const codeFolder = '/srv/pods/1/code';
  const thrower = (message: string) => () => {
    throw new Error(message);
  };
  const missing = `ENOENT: no such file or directory, open '${codeFolder}/seed.json'`;
  const { body } = await run({ handler: thrower(missing), codeFolder });
  expect(body).toMatchObject({
    error: { message: "ENOENT: no such file or directory, open 'seed.json'" },
  });
  const refused = await run({ handler: () => fail('no_seed', missing), codeFolder });
  expect(JSON.stringify(refused.body)).not.toContain('/srv');
});
