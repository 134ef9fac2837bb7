// Two and three controllers work at the same time, each on its shards. They are killed, suspended, terminated and rolled under
// load, and the history of every organization is checked.
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { shardOf } from '../../src/kube/leader/shards.ts';
import {
  type FaultFixture,
  judge,
  openFixture,
  type Tenant,
} from '../support/faults/fault-fixture.ts';
import { outputsFor, type Script } from '../support/faults/history/provider.ts';
import { insist, reaches } from '../support/faults/workloads.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Replica } from '../support/servers/replica.ts';

const shards = 4;
const handOverMs = 20_000;
/** Replicas even out their shards after two lease times. */
const evenMs = 60_000;

const takesTime: Script = (event) => ({
  status: 200,
  body: { outputs: outputsFor(event) },
  afterMs: 300,
});

let fixture: FaultFixture;
let replicas: Replica[];
let tenants: Tenant[];

afterEach(async () => {
  await fixture?.[Symbol.asyncDispose]();
});

async function holders(): Promise<readonly (string | undefined)[]> {
  return await Promise.all(Array.from({ length: shards }, (_, shard) => fixture.leader(shard)));
}

/** Starts replicas that share the shards, and two organizations in different shards. */
async function begin(count: number): Promise<void> {
  fixture = await openFixture();
  replicas = ['a', 'b', 'c'].slice(0, count).map((name) => fixture.replica(name, { shards }));
  await Promise.all(replicas.map((each) => each.start()));
  const even = Math.floor(shards / count);
  await eventually(async () => {
    const all = await holders();
    const held = replicas.map(({ identity }) => all.filter((each) => each === identity).length);
    expect(Math.min(...held)).toBeGreaterThanOrEqual(even);
  }, evenMs);
  const [any] = replicas as [Replica];
  tenants = [await fixture.tenant(any, takesTime)];
  const first = await leaderOf(tenants[0] as Tenant);
  // Organizations have random names; a few tries find one that another replica reconciles.
  while (tenants.length < 2) {
    const tenant = await fixture.tenant(any, takesTime);
    if ((await leaderOf(tenant)) !== first) tenants.push(tenant);
  }
}

const leaderOf = ({ namespace }: Tenant) => fixture.leader(shardOf(namespace, shards));

function names(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `box/crate/${prefix}-${index}`);
}

async function applyAll(all: readonly string[], through: Replica, size = 1): Promise<void> {
  for (const tenant of tenants) {
    const client = tenant.client(through);
    const answers = await Promise.all(
      all.map((name) => insist(() => client.apply(name, { size }))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }
}

async function allReady(all: readonly string[], through: Replica): Promise<void> {
  for (const { provider, client } of tenants) {
    const seen = { provider, client: () => client(through) };
    await Promise.all(all.map((name) => reaches(seen, 'ready', name)));
  }
}

/** The replica that reconciles the first organization, and another one. */
async function leaderAndOther(): Promise<readonly [Replica, Replica]> {
  const identity = await leaderOf(tenants[0] as Tenant);
  const leader = replicas.find((each) => each.identity === identity);
  const other = replicas.find((each) => each.identity !== identity);
  if (leader === undefined || other === undefined)
    throw new Error('no leader, or no other replica');
  return [leader, other];
}

describe.each([2, 3])('%i controllers', (count) => {
  it('take the shards of one that is killed within the lease time', async (context) => {
    await begin(count);
    const [leader, other] = await leaderAndOther();
    const all = names('r', 15);
    await applyAll(all, other);
    const killedAt = performance.now();
    for (const { recorder } of tenants) recorder.fault('kill -9 of a controller', handOverMs);
    await leader.kill();
    await eventually(async () => {
      expect(await holders()).not.toContain(leader.identity);
    }, handOverMs);
    expect(performance.now() - killedAt).toBeLessThan(handOverMs);
    await allReady(all, other);
    for (const tenant of tenants) await judge(context, tenant);
  });

  it('deliver nothing twice when one is terminated, and fence one that sleeps', async (context) => {
    await begin(count);
    const [leader, other] = await leaderAndOther();
    const all = names('r', 15);
    await applyAll(all, other);
    const deliveries = () => tenants.map(({ provider }) => provider.deliveries.length);
    await eventually(() => expect(Math.min(...deliveries())).toBeGreaterThan(3));
    await leader.drain();
    await allReady(all, other);
    expect(deliveries()).toEqual([all.length, all.length]);
    await leader.start();
    await eventually(async () => expect(await holders()).toContain(leader.identity), evenMs);
    leader.freeze();
    for (const { recorder } of tenants) recorder.fault('a controller sleeps', 2 * handOverMs);
    await applyAll(all, other, 2);
    await allReady(all, other);
    leader.thaw();
    await applyAll(names('after', 5), other);
    await allReady(names('after', 5), other);
    for (const tenant of tenants) await judge(context, tenant);
  });

  it('keep all guarantees while they are rolled under load', async (context) => {
    await begin(count);
    const stop = new AbortController();
    async function work(tenant: Tenant, worker: number): Promise<void> {
      for (let turn = 0; !stop.signal.aborted; turn += 1) {
        const name = `box/crate/w${worker}-${turn % 5}`;
        const client = tenant.client(replicas[turn % count]);
        await client.apply(name, { size: turn });
        if (turn % 7 === 6) await client.delete(name);
        await pause(100);
      }
    }
    const working = Promise.all(tenants.flatMap((tenant) => [1, 2].map((at) => work(tenant, at))));
    for (const replica of replicas) {
      for (const { recorder } of tenants) {
        recorder.fault(`${replica.identity} is rolled`, handOverMs);
      }
      await replica.drain();
      await replica.start();
      await pause(2_500);
    }
    stop.abort();
    await working;
    for (const tenant of tenants) await judge(context, tenant);
  });
});
