import { expect, it } from 'vitest';
import type { EventBody } from '../../../../src/domain/event.ts';
import { eventBody, type OutgoingEvent } from '../../../../src/events/protocol.ts';
import {
  fail,
  from,
  gone,
  type HandlerLog,
  later,
  type ObserveCall,
  provider,
  retry,
  z,
} from '../../../../src/sdk/index.ts';
import { runEvent } from '../../../../src/sdk/serve/run.ts';
import { anEvent } from '../../../support/servers/signing-fairlead.ts';

const quiet: HandlerLog = { debug() {}, info() {}, warn() {}, error() {} };
const shop = provider('shop', {
  settings: z.object({ region: z.string() }),
  start: () => ({ cloud: 'a cloud' }),
});
type Call = ObserveCall<object, object, object, object>;
type Handler = (call: Call) => unknown;

const handlers = {
  description: 'A cart',
  create: () => ({ url: 'x' }),
  update: () => ({ url: 'x' }),
  delete: () => undefined,
};
const current = {
  ...handlers,
  config: z.strictObject({ size: z.int().min(1), color: z.string().default('red') }),
  outputs: z.object({ url: z.string(), made: z.boolean().default(true) }),
  adopt: z.object({ id: z.string(), region: z.string().default('eu') }),
};

interface Run {
  readonly event?: Partial<OutgoingEvent>;
  readonly handler?: Handler | undefined;
  readonly type?: object;
}

async function run({ event, type = current, ...given }: Run) {
  const calls: Call[] = [];
  const handler = 'handler' in given ? given.handler : () => ({ config: {}, outputs: {} });
  const observe = (call: Call) => {
    calls.push(call);
    return handler?.(call);
  };
  const cart = shop.resource('cart', {
    ...(type as typeof current),
    ...(handler === undefined ? {} : { observe: observe as never }),
  });
  const body: EventBody = eventBody(anEvent({ type: 'OBSERVE', ...event }));
  const { signal } = new AbortController();
  const reply = await runEvent(shop.types(cart), body, {
    ...{ signal, log: quiet, settings: { region: 'eu' }, started: { cloud: 'a cloud' } },
  });
  return { ...reply, calls };
}

const arguments_: Record<string, Run & { readonly reason: string; readonly call: object }> = {
  'the values of the last success, with their defaults': {
    reason: 'Handlers see them as in an update.',
    event: { config: { size: 3 }, outputs: { url: 'x' } },
    call: { config: { size: 3, color: 'red' }, outputs: { url: 'x', made: true }, adopt: null },
  },
  'what identifies an imported object, parsed': {
    reason: 'The schema `adopt` gives it its type.',
    event: { config: {}, adopt: { id: 'c-1' } },
    call: { config: {}, outputs: {}, adopt: { id: 'c-1', region: 'eu' } },
  },
  'stored values that do not fit any more, as they are': {
    reason: 'An observation only reads: a new schema must not end it.',
    event: { config: { width: 9 }, outputs: { address: 'old' } },
    call: { config: { width: 9 }, outputs: { address: 'old' } },
  },
  'settings, and what start returned': {
    reason: 'The handler needs the client that the others use.',
    call: { settings: { region: 'eu' }, cloud: 'a cloud', organization: 'acme', name: 'mine' },
  },
};

it.each(Object.entries(arguments_))('passes %s', async (_, { call, reason, ...given }) => {
  const { status, calls } = await run(given);
  expect(status, reason).toBe(200);
  expect(calls, reason).toEqual([expect.objectContaining(call)]);
});

interface Ending extends Run {
  readonly reason: string;
  readonly status: number;
  readonly body: unknown;
}

const error = (code: string, message: unknown) => ({ error: { code, message } });
const versionOne = { schema_version: 1, outputs_schema_version: 1 };
const copied = { [Symbol.for('fairlead.gone')]: true };

const endings: Record<string, Ending> = {
  gone: {
    reason: 'The only answer that says so.',
    handler: () => gone(),
    status: 200,
    body: { exists: false },
  },
  'gone of a bundled copy of the SDK': {
    reason: 'A provider may have one.',
    handler: () => Promise.resolve(copied),
    status: 200,
    body: { exists: false },
  },
  'what exists': {
    reason: 'Values that could not be read are left out.',
    handler: () => ({ config: { size: 4, color: undefined }, outputs: { url: 'x' } }),
    status: 200,
    body: { exists: true, config: { size: 4 }, outputs: { url: 'x', made: true }, ...versionOne },
  },
  'a config that no user may declare': {
    reason: 'Somebody changed the object elsewhere: that is drift, and no mistake of the handler.',
    handler: () => ({ config: { size: 0, more: 1 }, outputs: {} }),
    status: 200,
    body: { exists: true, config: { size: 0, more: 1 }, outputs: {}, ...versionOne },
  },
  'outputs that are incomplete': {
    reason: 'A handler may be unable to read all of them.',
    handler: () => ({ config: {}, outputs: { made: false } }),
    status: 200,
    body: { exists: true, config: {}, outputs: { made: false }, ...versionOne },
  },
  'outputs of a schema that allows more': {
    reason: 'What the author did not list is an output, too.',
    type: { ...current, outputs: z.looseObject({ url: z.string(), id: z.int() }) },
    handler: () => ({ config: {}, outputs: { url: 'x', zone: 'a' } }),
    status: 200,
    body: { exists: true, config: {}, outputs: { url: 'x', zone: 'a' }, ...versionOne },
  },
  'outputs that the schema drops': {
    reason: 'As in an answer of create.',
    handler: () => ({ config: {}, outputs: { made: true, zone: 'a' } }),
    status: 200,
    body: { exists: true, config: {}, outputs: { made: true }, ...versionOne },
  },
  'outputs of another type': {
    reason: 'References would pass them on.',
    handler: () => ({ config: {}, outputs: { url: 7 } }),
    status: 422,
    body: error('invalid_outputs', expect.stringMatching(/^url: /)),
  },
  nothing: {
    reason: 'A forgotten return must not look like a deleted object.',
    handler: () => undefined,
    status: 422,
    body: error('invalid_observation', expect.stringContaining('must return gone()')),
  },
  null: {
    reason: 'Clients return it for what they did not find, and for what they could not read.',
    handler: () => null,
    status: 422,
    body: error('invalid_observation', expect.any(String)),
  },
  'a config alone': {
    reason: 'Whether outputs were left out or forgotten must be clear.',
    handler: () => ({ config: { size: 3 } }),
    status: 422,
    body: error('invalid_observation', expect.any(String)),
  },
  'a value without a form in JSON': {
    reason: 'The answer could not be sent.',
    handler: () => ({ config: { size: 1n }, outputs: {} }),
    status: 422,
    body: error('invalid_observation', 'The observed config cannot be serialized as JSON'),
  },
  'outputs that are too large': {
    reason: 'Fairlead would not read the answer.',
    handler: () => ({ config: {}, outputs: { url: 'x'.repeat(300_000) } }),
    status: 422,
    body: error('outputs_too_large', expect.stringContaining('observed outputs have 300')),
  },
  'config and outputs that are too large together': {
    reason: 'Fairlead would not read the answer.',
    handler: () => ({
      ...{ config: { color: 'x'.repeat(262_110) }, outputs: { url: 'x'.repeat(262_110) } },
    }),
    status: 422,
    body: error('outputs_too_large', expect.stringContaining('of at most 524288')),
  },
  later: {
    reason: 'An observation is one answer.',
    handler: () => later('5s'),
    status: 500,
    body: error('handler_error', expect.stringContaining('observe returned later')),
  },
  'an error': {
    reason: 'An error never means gone.',
    handler: () => Promise.reject(new Error('404 Not Found')),
    status: 500,
    body: error('handler_error', '404 Not Found'),
  },
  fail: {
    reason: 'An import that cannot work ends at once.',
    handler: () => fail('not_mine', 'It belongs to another team'),
    status: 422,
    body: error('not_mine', 'It belongs to another team'),
  },
  retry: {
    reason: 'Observations respect rate limits, too.',
    handler: () => retry({ after: 7, code: 'rate_limited', message: 'Too many calls' }),
    status: 429,
    body: { ...error('rate_limited', 'Too many calls'), retry_scope: 'resource' },
  },
  'an adopt that does not fit': {
    reason: 'The handler is promised its type.',
    event: { adopt: { id: 7 } },
    status: 422,
    body: error('invalid_adopt', expect.stringMatching(/^id: /)),
  },
  'no handler': {
    reason: 'Fairlead asks only types that have one, and must not take another answer for gone.',
    type: handlersOnly(),
    handler: undefined,
    status: 422,
    body: error('not_observable', 'Type cart has no handler `observe`'),
  },
};

function handlersOnly(): object {
  const { adopt: _, ...others } = current;
  return others;
}

it.each(Object.entries(endings))('answers %s', async (_, { reason, status, body, ...given }) => {
  const { calls: __, ...reply } = await run(given);
  expect({ status: reply.status, body: reply.body }, reason).toEqual({ status, body });
});

const versioned = {
  ...handlers,
  version: 2,
  config: z.object({ sizeGb: z.int(), zone: z.string().default('a') }),
  outputs: z.object({ url: z.string() }),
  migrations: [
    from(1, { config: z.object({ size: z.int() }), outputs: z.object({ host: z.string() }) }).to(
      ({ size }) => ({ sizeGb: size }),
      ({ host }) => ({ url: `https://${host}` }),
    ),
  ],
};
const found = () => ({ config: { sizeGb: 4 }, outputs: { url: 'x' } });
const newest = { exists: true, config: { sizeGb: 4 }, outputs: { url: 'x' } };
const versionTwo = { schema_version: 2, outputs_schema_version: 2 };

const versions: Record<string, Ending & { readonly call: object }> = {
  'an event of the newest version': {
    reason: 'Both configs have the same version.',
    event: { config: { sizeGb: 3 }, schemaVersion: 2, outputsSchemaVersion: 2 },
    status: 200,
    call: { config: { sizeGb: 3, zone: 'a' } },
    body: { ...newest, ...versionTwo },
  },
  'an event of an earlier version': {
    reason: 'Fairlead compares the config with the answer, and cannot migrate it.',
    event: { config: { size: 3 }, outputs: { host: 'h' } },
    status: 200,
    call: { config: { sizeGb: 3, zone: 'a' }, outputs: { url: 'https://h' } },
    body: { ...newest, ...versionTwo, declared: { sizeGb: 3 } },
  },
  'the preview of an import': {
    reason: 'There is nothing to migrate.',
    event: { config: {}, adopt: { id: 'c-1' } },
    status: 200,
    call: { config: {}, outputs: {}, adopt: { id: 'c-1' } },
    body: { ...newest, ...versionTwo, declared: {} },
  },
  'an event of a version from which no migration leads': {
    reason: 'What exists can be read, although nothing can be compared.',
    event: { config: { size: 3 }, schemaVersion: 9, outputs: { at: 'h' }, outputsSchemaVersion: 9 },
    status: 200,
    call: { config: { size: 3 }, outputs: { at: 'h' } },
    body: { ...newest, ...versionTwo },
  },
  'a config that its migration does not take': {
    reason: 'As for every other event.',
    event: { config: { width: 3 } },
    status: 422,
    call: {},
    body: error('migration_failed', expect.stringContaining('size: ')),
  },
};

it.each(Object.entries(versions))('answers %s', async (_, { reason, call, ...given }) => {
  const { status, body, ...run_ } = given;
  const { calls, ...reply } = await run({ ...run_, type: versioned, handler: found });
  expect({ status: reply.status, body: reply.body }, reason).toEqual({ status, body });
  if (status === 200) expect(calls, reason).toEqual([expect.objectContaining(call)]);
});
