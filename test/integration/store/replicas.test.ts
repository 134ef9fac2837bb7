// Processes that count each other through Leases of a real API server; only their time is made up.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { type Lease, leaseKind } from '../../../src/kube/leader/lease-record.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { label } from '../../../src/store/kinds.ts';
import { joinReplicas, type Replicas } from '../../../src/store/replicas.ts';
import { ensureSystemNamespace } from '../../../src/store/system.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type ManualTime, manualTime } from '../../support/runner/manual-time.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';

const namespace = `replicas-${randomUUID().slice(0, 8)}`;
const client = createKubeClient(loadCluster(sharedControlPlane()));

beforeAll(() => ensureSystemNamespace(client, namespace));
afterAll(() => client.close());

interface Joined extends ManualTime {
  readonly replicas: Replicas;
}

async function join(identity: string, wallClock?: Date): Promise<Joined> {
  const time = manualTime(wallClock);
  const { clock, timers } = time;
  const replicas = await joinReplicas({
    client,
    namespace,
    identity,
    clock,
    timers,
    log: silentLog,
  });
  return Object.assign(time, { replicas });
}

async function leases(): Promise<readonly Lease[]> {
  return (
    await client.list<Lease>(leaseKind, { namespace, labelSelector: `${label.replica}=true` })
  ).items;
}

/** One pass of a replica, to its end. */
async function pass(joined: Joined): Promise<void> {
  await eventually(async () => expect(joined.armed).toBe(1));
  joined.pass(10_000);
  await eventually(async () => expect(joined.armed).toBe(1));
}

it('[H15] are counted while they renew, regardless of their clocks, and not afterwards', async () => {
  const a = await join('a');
  expect(a.replicas.count).toBe(1);
  const b = await join('b', new Date('1999-01-01T00:00:00.000Z'));
  expect(b.replicas.count).toBe(2);
  await pass(a);
  expect(a.replicas.count).toBe(2);
  const c = await join('c');
  await pass(a);
  expect(a.replicas.count).toBe(3);
  // From here on, c is like a killed process: its clock does not advance. b renews.
  for (let round = 0; round < 3; round += 1) {
    await pass(b);
    await pass(a);
  }
  expect(a.replicas.count).toBe(2);
  await b.replicas.stop();
  await pass(a);
  expect(a.replicas.count, 'who leaves in good order is not waited for').toBe(1);
  expect(await leases()).toHaveLength(2);
  a.freeze(600_000);
  await pass(a);
  expect((await leases()).map(({ spec }) => spec?.holderIdentity)).toEqual(['a']);
  await pass(c);
  expect(c.replicas.count, 'who was only slow is there again').toBe(2);
  await a.replicas.stop();
  await c.replicas.stop();
  expect(await leases()).toEqual([]);
});

it('is one at least, when counting fails', async () => {
  const gone = createKubeClient(loadCluster(sharedControlPlane()));
  await gone.close();
  const { clock, timers } = manualTime();
  const options = { namespace, identity: 'alone', clock, timers, log: silentLog };
  const replicas = await joinReplicas({ ...options, client: gone });
  expect(replicas.count).toBe(1);
  await replicas.stop();
});
