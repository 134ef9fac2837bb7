// Pods of a provider whose certificates expired while nothing renewed them: the installation was off, or the organization
// suspended. Events wait for a renewed pod, and none is spent as an attempt, nor ends as a dead letter.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../../src/kube/api.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { apiVersion, kinds } from '../../src/store/kinds.ts';
import { type FaultFixture, openFixture, type Tenant } from '../support/faults/fault-fixture.ts';
import { insist } from '../support/faults/workloads.ts';
import { reportPod } from '../support/fixtures/workloads/reported-pod.ts';
import { eventually } from '../support/runner/eventually.ts';
import type { Replica } from '../support/servers/replica.ts';

const version = '20260101.000000';
let fixture: FaultFixture;
let replica: Replica;
let tenant: Tenant;
let direct: ReturnType<typeof createKubeClient>;

beforeEach(async () => {
  fixture = await openFixture();
  replica = fixture.replica('only');
  await replica.start();
  await eventually(async () => expect(await fixture.leader()).toBe('only'));
  tenant = await fixture.tenant(replica);
  direct = createKubeClient(loadCluster({ kubeconfig: fixture.kubeconfig }));
});
afterEach(async () => {
  await direct?.close();
  await fixture?.[Symbol.asyncDispose]();
});

function readyPod(name: string, expiresAt: Date): Promise<void> {
  const { namespace } = tenant;
  return reportPod(direct, { namespace, name, version, podIP: '127.0.0.77', expiresAt });
}

it('wait for a renewed pod, and spend no attempt', async () => {
  const ref = { name: 'box', namespace: tenant.namespace };
  await direct.patch(kinds.provider, ref, { spec: { endpoint: null, version } });
  await eventually(async () => {
    const { metadata } = await direct.get(kinds.provider, ref);
    const status = { deployedVersion: version, certificateExpiresAt: new Date(0).toISOString() };
    await direct.replaceStatus(kinds.provider, {
      apiVersion,
      kind: 'Provider',
      metadata,
      status,
    } as never);
  });
  await readyPod('expired', new Date(Date.now() - 1_000));
  const name = 'box/crate/patient';
  await insist(() => tenant.client(replica).apply(name, { size: 1 }));
  const state = async () => {
    const { items } = await direct.list<KubeObject & { status?: Record<string, unknown> }>(
      kinds.resource,
      { namespace: tenant.namespace },
    );
    return items[0]?.status;
  };
  await eventually(async () => {
    expect(await state()).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ reason: 'WaitingForProvider' }),
      ]),
    });
  });
  await readyPod('expired-as-well', new Date(Date.now() - 1_000));
  expect(await state()).toMatchObject({ state: 'pending' });
  await readyPod('renewed', new Date(Date.now() + 3_600_000));
  await eventually(async () => expect(await state()).toMatchObject({ state: 'processing' }));
});
