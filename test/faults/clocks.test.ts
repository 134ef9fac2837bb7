// Clocks of machines that differ: failures that are recorded an hour ahead of the API, or behind it, are retried all the same, and
// each event is sent once more.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../../src/kube/api.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { configMapKind, label } from '../../src/store/kinds.ts';
import { type FaultFixture, openFixture, type Tenant } from '../support/faults/fault-fixture.ts';
import { fails, outputsFor } from '../support/faults/history/provider.ts';
import { insist, reaches } from '../support/faults/workloads.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Replica } from '../support/servers/replica.ts';

interface Letter extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

const names = ['box/crate/one', 'box/crate/two', 'box/crate/three'];
let fixture: FaultFixture;
let replica: Replica;
let tenant: Tenant;
let direct: ReturnType<typeof createKubeClient>;

beforeEach(async () => {
  fixture = await openFixture();
  replica = fixture.replica('only', { policy: { maxAttempts: 1 } });
  await replica.start();
  await eventually(async () => expect(await fixture.leader()).toBe('only'));
  tenant = await fixture.tenant(replica, fails(400));
  direct = createKubeClient(loadCluster({ kubeconfig: fixture.kubeconfig }));
});
afterEach(async () => {
  await direct?.close();
  await fixture?.[Symbol.asyncDispose]();
});

/** As a leader writes them whose clock differs. */
async function move(seconds: number): Promise<void> {
  const { namespace } = tenant;
  const found = await direct.list<Letter>(configMapKind, {
    namespace,
    labelSelector: `${label.deadLetter}=true`,
  });
  expect(found.items).toHaveLength(names.length);
  for (const { metadata, data, ...letter } of found.items) {
    const { name, labels = {} } = metadata;
    const at = new Date(Date.parse(data['failed_at'] ?? '') + seconds * 1_000).toISOString();
    await direct.delete(configMapKind, metadata);
    await direct.create<Letter>(configMapKind, {
      ...letter,
      metadata: { name, namespace, labels },
      data: { ...data, failed_at: at },
    });
  }
}

it.each([90, 3_600, -3_600])(
  'retry-all retries what failed %i s ahead of the clock of the API',
  async (seconds) => {
    const client = tenant.client(replica);
    for (const name of names) await insist(() => client.apply(name, { size: 1 }));
    for (const name of names) await reaches(subject(), 'failed', name);
    await move(seconds);
    tenant.provider.follow((event) => ({ status: 200, body: { outputs: outputsFor(event) } }));
    await eventually(async () => {
      const told = await client.post('/ops/dead-letter/retry-all', {});
      expect(told).toMatchObject({ body: { retried: names.length } });
    });
    for (const name of names) await reaches(subject(), 'ready', name);
    for (const name of names) expect(tenant.provider.of(name)).toHaveLength(2);
  },
);

const subject = () => ({ provider: tenant.provider, client: () => tenant.client(replica) });
