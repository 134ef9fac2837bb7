// A term of leading ends when the Lease is lost, and another one begins when it can be had: whatever one term sets up, the
// next one must be able to set up again.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KindRef, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const leaseKind: KindRef = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

interface Lease extends KubeObject {
  spec: { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number };
}

let api: ServedApi;
let acme: ApiCaller;
let client: StreamingClient;

beforeAll(async () => {
  api = await serveApi();
  client = createKubeClient(loadCluster(sharedControlPlane()));
  acme = await api.caller('leading-again');
  const type = { provider: 'box', resource: 'crate', description: '' };
  expect((await acme.post('/resources/register', type)).status).toBe(200);
});

afterAll(async () => {
  await client?.close();
  await api?.close();
});

/** Applies a crate, and waits until a reconciler has reported what it waits for. */
async function isLookedAt(name: string): Promise<void> {
  const body = { provider: 'box', resource: 'crate', name, config: {}, lifecycle_state: 'pending' };
  expect((await acme.post('/resources/apply', body)).status).toBe(200);
  await eventually(async () => {
    const { body: record } = await acme.get(`/resources/box:crate:${name}`);
    expect(record).toMatchObject({ reason: 'WaitingForProvider' });
  }, 40_000);
}

it('[R21] leads again after another holder of the Lease, and works as before', async () => {
  await isLookedAt('first');
  const ref = { namespace: api.systemNamespace, name: 'fairlead-controller' };
  await eventually(async () => {
    const lease = await client.get<Lease>(leaseKind, ref);
    await client.replace<Lease>(leaseKind, {
      ...lease,
      spec: { ...lease.spec, holderIdentity: 'thief', leaseDurationSeconds: 1 },
    });
  });
  await eventually(async () => {
    const { spec } = await client.get<Lease>(leaseKind, ref);
    expect(spec.holderIdentity).not.toBe('thief');
  }, 60_000);
  await isLookedAt('second');
});
