// The API and the controller have connections of their own, also in one process: a controller whose writes all wait must not
// delay readers.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Provider } from '../../src/crds/provider.ts';
import { organizationOf } from '../../src/domain/identity.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { type FaultProxy, startFaultProxy } from '../support/faults/fault-proxy.ts';
import { eventually } from '../support/runner/eventually.ts';
import { sharedControlPlane, sharedIdentities } from '../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../support/servers/served-api.ts';

/** The connections of one client, `defaultConnections` in the transport. */
const connections = 32;

let proxy: FaultProxy;
let api: ServedApi;
let acme: ApiCaller;

beforeAll(async () => {
  proxy = await startFaultProxy(sharedIdentities().controller);
  // One organization uses at most half of the workers.
  api = await serveApi({ kubeconfig: proxy.kubeconfig, workers: 4 * connections });
  acme = await api.caller('connections');
  const type = { provider: 'box', resource: 'crate', description: '' };
  const { status, text } = await acme.post('/resources/register', type);
  expect(status, text).toBe(200);
});

afterAll(async () => {
  await api?.close();
  await proxy?.stop();
});

function crate(name: string, lifecycle_state: 'draft' | 'pending') {
  return { provider: 'box', resource: 'crate', name, config: {}, lifecycle_state };
}

/** Applies crates that wait for their provider, whose appearance causes a write for each at once. */
async function waitForProvider(count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => `crate-${at}`);
  const applied = names.map((name) => acme.post('/resources/apply', crate(name, 'pending')));
  for (const { status } of await Promise.all(applied)) expect(status).toBe(200);
  await eventually(async () => {
    const { body } = await acme.get('/resources/');
    const reasons = (body as { reason?: string }[]).map(({ reason }) => reason);
    expect(reasons).toEqual(Array.from({ length: count }, () => 'WaitingForProvider'));
  });
}

async function declareProvider(organization: string): Promise<void> {
  const client = createKubeClient(loadCluster(sharedControlPlane()));
  await client.create(Provider, {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Provider',
    metadata: { namespace: organizationOf(api.issuer.url, organization).namespace, name: 'box' },
    spec: { provider: 'box', endpoint: 'http://127.0.0.1:9' },
  });
  await client.close();
}

it('reads and writes while every connection of the controller waits', async () => {
  await waitForProvider(connections + 4);
  const held: string[] = [];
  const release = Promise.withResolvers<void>();
  const stop = proxy.rule(({ verb, path }) => {
    if (verb !== 'write' || !/\/resources\/[^/]+\/status$/.test(path)) return undefined;
    held.push(path);
    return { holdUntil: release.promise };
  });
  try {
    await declareProvider('connections');
    await eventually(() => expect(held).toHaveLength(connections));
    expect((await acme.get('/resources/box:crate:crate-0')).status).toBe(200);
    expect((await acme.get('/resources/?limit=10')).status).toBe(200);
    expect((await acme.post('/resources/apply', crate('other', 'draft'))).status).toBe(200);
    // None has ended: the connection of one that ends sends one of the four that wait.
    expect(held).toHaveLength(connections);
  } finally {
    stop();
    release.resolve();
  }
});

it('a deletion asks only for what it looks up: the resource and its users', async () => {
  const made = await acme.post('/resources/apply', crate('used', 'draft'));
  expect(made.status, made.text).toBe(200);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference
  const user = { ...crate('user', 'draft'), config: { at: '${box/crate/used.outputs.url}' } };
  expect((await acme.post('/resources/apply', user)).status).toBe(200);
  const { length } = proxy.asked;
  expect((await acme.delete('/resources/box/crate/used')).status).toBe(204);
  const asked = proxy.asked.slice(length).filter(({ plural }) => plural === 'resources');
  const reads = asked.filter(({ verb }) => verb === 'get' || verb === 'list');
  // A status write in between repeats both.
  const names = new Set(reads.map(({ path }) => path.split('/').at(-1)));
  expect(names).toEqual(new Set(['box.crate.used', 'box.crate.user']));
});
