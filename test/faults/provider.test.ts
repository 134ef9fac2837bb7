// Faults of providers: they die between the work and the answer, are overloaded, hang, fail temporarily and permanently. Each
// event ends according to its answers, under one id, and delays no other event.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FaultFixture,
  judge,
  openFixture,
  type Tenant,
} from '../support/faults/fault-fixture.ts';
import { fails, first, type Script } from '../support/faults/history/provider.ts';
import { apply, insist, name, reaches } from '../support/faults/workloads.ts';
import type { Replica } from '../support/servers/replica.ts';

const eventTimeoutMs = 500;

let fixture: FaultFixture;
let replica: Replica;

beforeAll(async () => {
  fixture = await openFixture();
  replica = fixture.replica('only', { eventTimeoutMs });
  await replica.start();
});
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]();
});

function attemptsOf({ provider }: Tenant): readonly number[] {
  return provider.deliveries.map(({ attempt }) => attempt);
}

interface Case {
  readonly script: Script;
  readonly ends: 'ready' | 'failed';
  readonly attempts: readonly number[];
}

const busy: Script = () => ({
  status: 429,
  body: { error: { code: 'BUSY', message: 'later' } },
  headers: { 'retry-after': '1' },
});
const notYet: Script = () => ({ status: 202, body: { retry_after: 0.2, message: 'working' } });

const cases: Readonly<Record<string, Case>> = {
  'crashes between its work and the response': {
    script: first(1, () => 'die'),
    ends: 'ready',
    attempts: [1, 2],
  },
  'hangs once': { script: first(1, () => 'hang'), ends: 'ready', attempts: [1, 2] },
  'fails four times and then works': {
    script: first(4, fails(500)),
    ends: 'ready',
    attempts: [1, 2, 3, 4, 5],
  },
  // A wait that it asks for spends no attempt.
  'answers 429 with a delay': { script: first(1, busy), ends: 'ready', attempts: [1, 1] },
  'answers 202 three times': {
    script: first(3, notYet),
    ends: 'ready',
    attempts: [1, 1, 1, 1],
  },
  'always fails': { script: fails(503), ends: 'failed', attempts: [1, 2, 3, 4, 5] },
  'always crashes': { script: () => 'die', ends: 'failed', attempts: [1, 2, 3, 4, 5] },
  'answers with a terminal error': { script: fails(422), ends: 'failed', attempts: [1] },
};

describe.concurrent('a provider that', () => {
  it.for(Object.entries(cases))('%s', async ([, { script, ends, attempts }], context) => {
    const tenant = await fixture.tenant(replica, script);
    tenant.recorder.fault('the provider misbehaves');
    await apply(tenant, { size: 1 });
    await reaches(tenant, ends);
    context.expect(attemptsOf(tenant)).toEqual(attempts);
    context.expect(new Set(tenant.provider.deliveries.map(({ eventId }) => eventId)).size).toBe(1);
    await judge(context, tenant);
  });
});

it('is called again after the delay it asks for', async (context) => {
  const tenant = await fixture.tenant(replica, first(1, busy));
  tenant.recorder.fault('the provider is overloaded');
  await apply(tenant, { size: 1 });
  await reaches(tenant, 'ready');
  const [one, two] = tenant.provider.deliveries;
  expect((two?.at ?? 0) - (one?.at ?? 0)).toBeGreaterThanOrEqual(950);
  await judge(context, tenant);
});

it('does not delay other organizations with the failures of one', async (context) => {
  const count = 20;
  const [poisoned, healthy] = await Promise.all([
    fixture.tenant(replica, () => 'hang'),
    fixture.tenant(replica),
  ]);
  const names = Array.from({ length: count }, (_, index) => `box/crate/r-${index}`);
  const apply = (tenant: Tenant) =>
    Promise.all(names.map((each) => insist(() => tenant.client().apply(each, { size: 1 }))));
  poisoned.recorder.fault('everything hangs', 60_000);
  healthy.recorder.fault('another organization is all poison', 60_000);
  await apply(poisoned);
  await apply(healthy);
  await Promise.all(names.map((each) => reaches(healthy, 'ready', each)));
  const failed = await poisoned.client().get('/resources/?lifecycle_state=failed');
  expect((failed.body as unknown[]).length, 'the poison is not used up yet').toBeLessThan(count);
  await judge(context, healthy);
  // Nothing hangs for ever: it all ends as dead letters.
  await judge(context, poisoned, { withinMs: 60_000 });
  const { body } = await poisoned.client().get('/resources/?lifecycle_state=failed');
  expect(body).toHaveLength(count);
});

it('reports a resource that waits for its next attempt as processing, with the error', async (context) => {
  const tenant = await fixture.tenant(replica, first(1, busy));
  tenant.recorder.fault('the provider is overloaded');
  await apply(tenant, { size: 1 });
  await reaches(tenant, 'processing');
  await reaches(tenant, 'ready');
  expect((await tenant.client().read(name)).body).toMatchObject({ error: null });
  await judge(context, tenant);
});
