// Two replicas of the service: one leads, both serve. Leaders die, pause, resume late and are terminated under load. No accepted
// work is lost, and writes of a former leader have no effect.
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type FaultFixture,
  judge,
  openFixture,
  type Tenant,
} from '../support/faults/fault-fixture.ts';
import type { Script } from '../support/faults/history/provider.ts';
import { outputsFor } from '../support/faults/history/provider.ts';
import { insist, reaches } from '../support/faults/workloads.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Replica } from '../support/servers/replica.ts';

const leaseMs = 15_000;
const handOverMs = 20_000;

let fixture: FaultFixture;
let leader: Replica;
let follower: Replica;
let tenant: Tenant;

const takesTime: Script = (event) => ({
  status: 200,
  body: { outputs: outputsFor(event) },
  afterMs: 300,
});

beforeEach(async () => {
  fixture = await openFixture();
  leader = fixture.replica('first');
  follower = fixture.replica('second');
  await leader.start();
  await eventually(async () => expect(await fixture.leader()).toBe('first'));
  await follower.start();
  tenant = await fixture.tenant(leader, takesTime);
});
afterEach(async () => {
  await fixture?.[Symbol.asyncDispose]();
});

function names(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `box/crate/${prefix}-${index}`);
}

async function applyAll(all: readonly string[], through: Replica, size = 1): Promise<void> {
  const client = tenant.client(through);
  const responses = await Promise.all(
    all.map((name) => insist(() => client.apply(name, { size }))),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
}

/** A tenant whose clients speak to one replica. */
function through(replica: Replica) {
  return { provider: tenant.provider, client: () => tenant.client(replica) };
}

function allReady(all: readonly string[], replica: Replica): Promise<unknown> {
  return Promise.all(all.map((name) => reaches(through(replica), 'ready', name)));
}

it('fails over within twenty seconds after a kill -9 of the leader', async (context) => {
  const all = names('r', 20);
  await applyAll(all, follower);
  await leader.kill();
  const killedAt = performance.now();
  tenant.recorder.fault('kill -9 of the leader', handOverMs);
  await eventually(async () => expect(await fixture.leader()).toBe('second'));
  expect(performance.now() - killedAt).toBeLessThan(handOverMs);
  await allReady(all, follower);
  await judge(context, tenant);
});

it('serves without a leader, and fences a leader that was suspended for two leases', async (context) => {
  const before = names('before', 20);
  const without = names('without', 5);
  await applyAll(before, follower);
  // While its events are under way.
  await eventually(() => expect(tenant.provider.deliveries.length).toBeGreaterThan(3));
  leader.freeze();
  await tenant.recorder.during('the leader sleeps', async () => {
    const sleptAt = performance.now();
    await applyAll(without, follower);
    const { status, body } = await tenant.client(follower).get('/resources/');
    expect(status).toBe(200);
    expect(body).toHaveLength(before.length + without.length);
    expect(performance.now() - sleptAt, 'served while nobody led').toBeLessThan(leaseMs / 2);
    expect(await fixture.leader()).toBe('first');
    await allReady([...before, ...without], follower);
    // Decisions from before the pause are outdated.
    await applyAll(before, follower, 2);
    await allReady(before, follower);
    await pause(Math.max(0, 2 * leaseMs - (performance.now() - sleptAt)));
  });
  leader.thaw();
  tenant.recorder.fault('the former leader wakes up', 2_000);
  await applyAll(names('after', 5), leader);
  await allReady(names('after', 5), leader);
  expect(await fixture.leader()).toBe('second');
  await judge(context, tenant);
});

it('drains a terminating leader, and delivers nothing twice', async (context) => {
  // Few enough that what is under way is answered and written down in the two seconds it has, also on a busy machine.
  const all = names('r', 20);
  await applyAll(all, follower);
  await eventually(() => expect(tenant.provider.deliveries.length).toBeGreaterThan(5));
  const toldAt = performance.now();
  await leader.drain();
  await eventually(async () => expect(await fixture.leader()).toBe('second'));
  expect(performance.now() - toldAt).toBeLessThan(3_000);
  await allReady(all, follower);
  expect(tenant.provider.deliveries.length).toBe(all.length);
  await judge(context, tenant);
});

it('keeps all guarantees while both replicas are rolled under load', async (context) => {
  const stop = new AbortController();
  const written = new Set<string>();
  async function work(worker: number): Promise<void> {
    for (let round = 0; !stop.signal.aborted; round += 1) {
      const name = `box/crate/w${worker}-${round % 5}`;
      const client = tenant.client(round % 2 === 0 ? leader : follower);
      // One that is still being made refuses another content, which is an answer too.
      await client.apply(name, { size: round });
      if (round % 7 === 6) await client.delete(name);
      await client.read(name);
      written.add(name);
      await pause(50);
    }
  }
  const working = Promise.all([1, 2, 3].map(work));
  for (const replica of [leader, follower, leader, follower]) {
    await tenant.recorder.during(`${replica.identity} is rolled`, async () => {
      await replica.drain();
      await replica.start();
    });
    await pause(2_500);
  }
  stop.abort();
  await working;
  expect(written.size).toBe(15);
  await judge(context, tenant);
});
