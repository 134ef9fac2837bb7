// A replica whose watches are held takes over from one that has finished and begun events since. What it has cached must not reach
// a provider, nor a client that goes on with a watch there.
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { kinds } from '../../src/store/kinds.ts';
import {
  type FaultFixture,
  judge,
  openFixture,
  type Tenant,
} from '../support/faults/fault-fixture.ts';
import { outputsFor, scriptedProvider } from '../support/faults/history/provider.ts';
import { insist, reaches } from '../support/faults/workloads.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Replica } from '../support/servers/replica.ts';

let fixture: FaultFixture;
/** Leads first, and sees everything. */
let leader: Replica;
/** Takes over with what it had cached when its watches were held. */
let successor: Replica;
let tenant: Tenant;
let release: () => void;

beforeEach(async () => {
  fixture = await openFixture();
  leader = fixture.replica('first', { through: 'direct', eventTimeoutMs: 5_000 });
  successor = fixture.replica('second', { eventTimeoutMs: 5_000 });
  await leader.start();
  await eventually(async () => expect(await fixture.leader()).toBe('first'));
  await successor.start();
  tenant = await fixture.tenant(leader);
});
afterEach(async () => {
  release?.();
  await fixture?.[Symbol.asyncDispose]();
});

function holdWatch(plural: string): void {
  const held = Promise.withResolvers<void>();
  release = held.resolve;
  expect(fixture.proxy.disturb(plural, { holdUntil: held.promise })).toBeGreaterThan(0);
}

async function handOver(): Promise<void> {
  await leader.drain();
  await eventually(async () => expect(await fixture.leader()).toBe('second'));
}

const through = () => ({
  provider: tenant.provider,
  client: () => tenant.client(successor),
});

it('sends no event that its predecessor has finished', async (context) => {
  const name = 'box/crate/changed';
  const client = tenant.client(leader);
  await insist(() => client.apply(name, { size: 1 }));
  await reaches(tenant, 'ready', name);
  // The claim reaches the caches while the provider works.
  tenant.provider.follow((event) => ({
    status: 200,
    body: { outputs: outputsFor(event) },
    afterMs: 2_000,
  }));
  await insist(() => client.apply(name, { size: 2 }));
  await eventually(() => expect(tenant.provider.of(name)).toHaveLength(2));
  await pause(500);
  holdWatch('resources');
  await reaches(tenant, 'ready', name);
  await insist(() => client.apply(name, { size: 3 }));
  await reaches(tenant, 'ready', name);
  tenant.recorder.fault('the watch of resources is held', 15_000);
  await handOver();
  release();
  await insist(() => tenant.client(successor).apply('box/crate/later', { size: 1 }));
  await reaches(through(), 'ready', 'box/crate/later');
  expect(tenant.provider.of(name).map(({ generation }) => generation)).toEqual([1, 2, 3]);
  await judge(context, tenant);
});

it('sends no event to the endpoint that its provider had before', async () => {
  const replacement = await scriptedProvider();
  const direct = createKubeClient(loadCluster({ kubeconfig: fixture.kubeconfig }));
  try {
    holdWatch('providers');
    const ref = { name: 'box', namespace: tenant.namespace };
    await direct.patch(kinds.provider, ref, { spec: { endpoint: replacement.url } });
    await handOver();
    const name = 'box/crate/moved';
    await insist(() => tenant.client(successor).apply(name, { size: 1 }));
    await reaches(through(), 'ready', name);
    expect(replacement.of(name)).toHaveLength(1);
    expect(tenant.provider.of(name)).toEqual([]);
  } finally {
    await direct.close();
    await replacement.close();
  }
});
