// A leader that dies in the middle of a window in which everything is gone: what it saw is corrected by nobody until a person releases
// it, and a release counts although the clock of the leader is ahead of that of the API.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Provider } from '../../src/crds/provider.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { kinds } from '../../src/store/kinds.ts';
import { type FaultFixture, openFixture, type Tenant } from '../support/faults/fault-fixture.ts';
import { type Script, works } from '../support/faults/history/provider.ts';
import { insist, reaches } from '../support/faults/workloads.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Replica } from '../support/servers/replica.ts';

/** A fifth of them is more than what the first leader sees before it dies. */
const count = 60;
const names = Array.from({ length: count }, (_, at) => `box/crate/r-${at}`);
const config = { size: 1 };

let fixture: FaultFixture;
let first: Replica;
let second: Replica;
let tenant: Tenant;
let direct: ReturnType<typeof createKubeClient>;
const observed = new Set<string>();
let observations = 0;
let isLost = false;

/** Objects are lost once, all of them; another CREATE makes another one. */
const losesAll: Script = (event, earlier) => {
  if (event.event_type !== 'OBSERVE') return works(event, earlier);
  observations += 1;
  const name = `box/crate/${event.name}`;
  if (!isLost) return { status: 200, body: { exists: true, config, outputs: {} } };
  observed.add(name);
  const creations = earlier.filter((each) => each.name === name && each.eventType === 'CREATE');
  const exists = creations.length > 1;
  return { status: 200, body: exists ? { exists, config, outputs: {} } : { exists } };
};

beforeEach(async () => {
  fixture = await openFixture();
  first = fixture.replica('first');
  second = fixture.replica('second');
  await first.start();
  await eventually(async () => expect(await fixture.leader()).toBe('first'));
  await second.start();
  tenant = await fixture.tenant(second, losesAll);
  direct = createKubeClient(loadCluster({ kubeconfig: fixture.kubeconfig }));
});
afterEach(async () => {
  await direct?.close();
  await fixture?.[Symbol.asyncDispose]();
});

const client = () => tenant.client(second);
const creations = () => tenant.provider.deliveries.length;
const provider = () =>
  direct.get<Provider>(kinds.provider, { namespace: tenant.namespace, name: 'box' });

async function held(): Promise<object | null> {
  const { body } = await client().get('/providers/');
  return (body as readonly { corrections_held: object | null }[])[0]?.corrections_held ?? null;
}

async function declare(): Promise<void> {
  const type = { provider: 'box', resource: 'crate', observe: true, observe_every: '1m' };
  expect(await client().post('/resources/register', type)).toMatchObject({ status: 200 });
  for (const each of names) {
    const [, , name] = each.split('/');
    const wanted = { provider: 'box', resource: 'crate', name, lifecycle_state: 'pending', config };
    const observe = { on_drift: 'correct' };
    const apply = () => client().post('/resources/apply', { ...wanted, observe });
    expect(await insist(apply)).toMatchObject({ status: 200 });
  }
  for (const name of names) {
    await reaches({ provider: tenant.provider, client }, 'ready', name);
  }
}

/** As a leader writes it whose clock is ahead. */
async function moveCondition(seconds: number): Promise<void> {
  await eventually(async () => {
    const found = await provider();
    const conditions = found.status?.conditions?.map((each) => {
      if (each.type !== 'CorrectionsHeld') return each;
      const at = new Date(Date.parse(each.lastTransitionTime) + seconds * 1_000);
      return { ...each, lastTransitionTime: at.toISOString() };
    });
    const status = { ...found.status, conditions } as NonNullable<Provider['status']>;
    await direct.replaceStatus(kinds.provider, { ...found, status });
  });
}

it('creates nothing before it is released', { timeout: 300_000 }, async () => {
  await declare();
  isLost = true;
  await eventually(() => expect(observed.size).toBeGreaterThan(3), 90_000);
  await first.kill();
  expect(observed.size, 'in the middle of the window').toBeLessThan(count);
  await eventually(async () => expect(await fixture.leader()).toBe('second'));
  // At the end of the first window that it sees whole.
  await eventually(async () => expect(await held()).not.toBeNull(), 120_000);
  expect(creations()).toBe(count);
  // What is found to be lost after the release would be held again.
  await eventually(async () => {
    expect((await client().get('/resources/?drift=true')).body).toHaveLength(count);
  });

  await moveCondition(3_600);
  const before = observations;
  const released = await client().post('/providers/box/corrections/release', {});
  expect(released).toMatchObject({ status: 200, body: { corrections_held: null } });
  // What was seen to be lost after the end of the window follows at the end of the next one.
  await eventually(() => expect(creations()).toBe(2 * count), 100_000);
  for (const name of names) {
    await reaches({ provider: tenant.provider, client }, 'ready', name);
  }
  // One before each correction, and those of two windows.
  expect(observations - before).toBeLessThanOrEqual(3 * count);
  const { status } = await provider();
  expect(status?.conditions?.map(({ type }) => type)).not.toContain('CorrectionsHeld');
});
