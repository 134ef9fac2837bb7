// Deletions of types that can be cancelled, with a provider of the SDK on a real socket.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  later,
  provider,
  registrationsOf,
  type ServedProvider,
  serve,
  z,
} from '../../src/sdk/index.ts';
import { type Crates, startCrates } from '../support/fixtures/crates.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedFairlead } from '../support/servers/lent/shared-fairlead.ts';

const config = z.object({ step: z.number().default(1) });
const outputs = z.object({ done: z.boolean() });
/** What the handlers did, in order. */
let did: unknown[] = [];
/** What an aborted handler waits for before it ends. */
let cleaned = Promise.withResolvers<void>();

const hosts = provider('host');
const job = hosts.resource('job', {
  description: 'Runs for a minute in its own process',
  timeoutSeconds: 90,
  cancellable: true,
  config,
  outputs,
  async create({ signal }) {
    did.push('create begins');
    await pause(60_000, undefined, { signal }).catch(() => undefined);
    did.push(signal.reason);
    await cleaned.promise;
    did.push('create ends');
    signal.throwIfAborted();
    return { done: true };
  },
  update: () => ({ done: true }),
  delete: ({ context }) => void did.push('delete', context),
});

const task = hosts.resource('task', {
  description: 'Runs elsewhere',
  config,
  outputs,
  create: ({ key, context }) => later('60s', { context: context ?? { task: key } }),
  update: () => ({ done: true }),
  cancel({ operationKey, context, attempt }) {
    did.push('cancel', context?.['task'] === operationKey, attempt);
    if (context?.['ending'] !== true) {
      return later(1, { message: 'Stopping', context: { ...context, ending: true } });
    }
    did.push('cancelled');
    return undefined;
  },
  delete: ({ context }) => void did.push('delete', context?.['ending']),
});

const host = hosts.types(job, task);
let crates: Crates;
let served: ServedProvider;

beforeAll(async () => {
  const fairlead = await sharedFairlead('standard');
  crates = await startCrates(fairlead, 'cancellation');
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  served = await serve(host, { fairlead: fairlead.url, port: 0, log });
  await crates.pointAt('host', served.url);
  for (const type of registrationsOf(host)) {
    expect((await crates.acme.post('/resources/register', type)).status).toBe(200);
  }
});
beforeEach(() => {
  did = [];
  cleaned = Promise.withResolvers();
});
afterAll(async () => {
  await served?.close(0);
  await crates?.close();
});

const idOf = (type: string, name: string) => `host%2F${type}%2F${name}`;

async function apply(type: string, name: string): Promise<void> {
  const body = { provider: 'host', resource: type, name, config: {}, lifecycle_state: 'pending' };
  expect((await crates.acme.post('/resources/apply', body)).status).toBe(200);
}

async function remove(type: string, name: string): Promise<void> {
  expect((await crates.acme.delete(`/resources/${idOf(type, name)}`)).status).toBe(204);
}

async function isGone(name: string): Promise<void> {
  await eventually(async () => expect(await crates.stored()).not.toContain(name));
}

it('aborts the handler in flight, and sends the DELETE when it has ended', async () => {
  await apply('job', 'long');
  await eventually(() => expect(did).toEqual(['create begins']));
  await remove('job', 'long');
  await eventually(() =>
    expect(did).toEqual(['create begins', new Error('The resource is being deleted')]),
  );
  expect(await crates.stored()).toContain('long');
  cleaned.resolve();
  await isGone('long');
  expect(did.slice(2)).toEqual(['create ends', 'delete', null]);
  expect((await crates.acme.get('/ops/dead-letter')).body).toEqual([]);
});

it('cancels an operation, and deletes with its context', async () => {
  await apply('task', 'far');
  const stored = () => crates.acme.get(`/resources/${idOf('task', 'far')}`);
  await eventually(async () =>
    expect((await stored()).body).toMatchObject({ reason: 'InProgress' }),
  );
  await remove('task', 'far');
  await isGone('far');
  expect(did).toEqual(['cancel', true, 1, 'cancel', true, 1, 'cancelled', 'delete', true]);
});
