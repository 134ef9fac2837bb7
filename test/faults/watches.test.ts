// Data from the API server is late, cut off, garbled, missing or stale, while clients continue. The service must detect missed
// changes, and must not act on wrong data.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { kinds } from '../../src/store/kinds.ts';
import {
  type FaultFixture,
  judge,
  openFixture,
  type Tenant,
} from '../support/faults/fault-fixture.ts';
import type { Disturbance } from '../support/faults/fault-proxy-watch.ts';
import { insist, reaches } from '../support/faults/workloads.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Replica } from '../support/servers/replica.ts';

const watched = ['resources', 'resourcedefinitions', 'providers', 'organizations', 'namespaces'];
const count = 6;

let fixture: FaultFixture;
let replica: Replica;
let tenant: Tenant;

beforeAll(async () => {
  fixture = await openFixture();
  replica = fixture.replica('only');
  await replica.start();
});
afterAll(async () => {
  await fixture?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  tenant = await fixture.tenant(replica);
});

const names = (kind: string) => Array.from({ length: count }, (_, n) => `box/crate/${kind}-${n}`);

/** Makes what is changed and deleted later, and waits until nothing is on its way any more. */
async function prepare(): Promise<void> {
  const all = [...names('changed'), ...names('deleted')];
  await Promise.all(all.map((name) => insist(() => tenant.client().apply(name, { size: 1 }))));
  await Promise.all(all.map((name) => reaches(tenant, 'ready', name)));
}

async function askForEverything(): Promise<void> {
  const client = tenant.client();
  await Promise.all([
    ...names('made').map((name) => insist(() => client.apply(name, { size: 1 }))),
    ...names('changed').map((name) => insist(() => client.apply(name, { size: 2 }))),
    ...names('deleted').map((name) => insist(() => client.delete(name))),
  ]);
}

async function everythingIsDone(): Promise<void> {
  const there = [...names('made'), ...names('changed')];
  await Promise.all(there.map((name) => reaches(tenant, 'ready', name)));
}

function disturbAll(disturbance: Disturbance): number {
  return watched.reduce((sum, plural) => sum + fixture.proxy.disturb(plural, disturbance), 0);
}

it.for<Disturbance>([
  'end',
  'reset',
  'truncate next',
  'garble next',
  { error: 410 },
  { error: 500 },
])('loses no change when every watch is disturbed by %j', async (disturbance, context) => {
  await prepare();
  expect(disturbAll(disturbance)).toBe(watched.length);
  tenant.recorder.fault(`watches: ${JSON.stringify(disturbance)}`, 15_000);
  await askForEverything();
  await everythingIsDone();
  await judge(context, tenant);
});

it('processes a missed change after the next list', async (context) => {
  await prepare();
  fixture.proxy.disturb('resources', 'swallow next');
  tenant.recorder.fault('watch of resources: an event is swallowed', 15_000);
  const name = 'box/crate/unheard-of';
  await insist(() => tenant.client().apply(name, { size: 1 }));
  fixture.proxy.disturb('resources', { error: 410 });
  await reaches(tenant, 'ready', name);
  await judge(context, tenant);
});

it('processes nothing twice while its watches lag by thirty seconds', async (context) => {
  await prepare();
  const release = Promise.withResolvers<void>();
  await tenant.recorder.during('watches are held', async () => {
    expect(disturbAll({ holdUntil: release.promise })).toBe(watched.length);
    const rounds = 6;
    for (let round = 0; round < rounds; round += 1) {
      await askForEverything();
      await new Promise((later) => setTimeout(later, 30_000 / rounds));
    }
    release.resolve();
  });
  await everythingIsDone();
  await judge(context, tenant);
});

it('detects silent watches within a minute', async (context) => {
  await prepare();
  await tenant.recorder.during('watches are silent', async () => {
    expect(disturbAll('silence')).toBe(watched.length);
    await askForEverything();
    await eventually(everythingIsDone, 60_000);
  });
  await judge(context, tenant, { withinMs: 60_000 });
});

it('rejects a list that is older than its cache', async (context) => {
  const direct = createKubeClient(loadCluster(fixture));
  await prepare();
  const names = ['box/crate/a', 'box/crate/b'];
  await insist(() => tenant.client().apply('box/crate/a', { size: 1 }));
  const { items, resourceVersion } = await direct.list(kinds.resource);
  await Promise.all(names.map((name) => insist(() => tenant.client().apply(name, { size: 1 }))));
  await askForEverything();
  await Promise.all(names.map((name) => reaches(tenant, 'ready', name)));
  await everythingIsDone();
  let old = 0;
  const heal = fixture.proxy.rule(({ verb, plural }) => {
    if (verb !== 'list' || plural !== 'resources' || old > 0) return undefined;
    old += 1;
    return { answer: 200, body: { metadata: { resourceVersion }, items } };
  });
  tenant.recorder.fault('a list of resources travels in time', 15_000);
  fixture.proxy.disturb('resources', { error: 410 });
  await insist(() => tenant.client().apply('box/crate/after', { size: 1 }));
  await reaches(tenant, 'ready', 'box/crate/after');
  await eventually(() => expect(old).toBe(1));
  heal();
  await direct.close();
  await judge(context, tenant);
});
