// What the API can do with Providers and Leases with its own token on a real API server: deploy and set, but not reroute events,
// mount Secrets of others, or stop the controllers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Provider } from '../../../src/crds/provider.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { hasReason } from '../../../src/kube/errors.ts';
import { leaseKind } from '../../../src/kube/leader/lease-record.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import { put } from '../../../src/store/put.ts';
import { byPolicy } from '../../support/fixtures/acts.ts';
import { sharedControlPlane, sharedIdentities } from '../../support/servers/control-plane.ts';
import { type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let admin: StreamingClient;
let web: StreamingClient;
let namespace: string;

const settingsOf = (secret: string) => ({ secret, revision: '1', values: {}, entries: [] });
const caBundle = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');

const providerOf = (name: string, more: object = {}) =>
  ({
    apiVersion,
    kind: kinds.provider.kind,
    metadata: { name, namespace },
    spec: { provider: name, ...more },
  }) as Provider;

beforeAll(async () => {
  api = await serveApi();
  await (await api.caller('acts-on-providers')).get('/resources/');
  ({ namespace } = organizationOf(api.issuer.url, 'acts-on-providers'));
  admin = createKubeClient(loadCluster(sharedControlPlane()));
  web = createKubeClient(loadCluster({ kubeconfig: sharedIdentities().api }));
  await admin.create(kinds.provider, providerOf('box', { version: '20260101.000000' }));
  const endpoint = 'https://provider.example';
  await admin.create(kinds.provider, providerOf('far', { endpoint, caBundle }));
});

afterAll(async () => {
  await Promise.all([admin, web].map((each) => each?.close()));
  await api?.close();
});

/** As the API writes: the object that it read, with a change. */
async function replace(name: string, spec: object): Promise<unknown> {
  for (;;) {
    const found = await web.get<Provider>(kinds.provider, { namespace, name });
    const wanted = { ...found, spec: { ...found.spec, ...spec } };
    const written = await put(web, kinds.provider, wanted);
    // The controller writes the status at the same time.
    if (written !== undefined) return written;
  }
}

const leaseOf = (name: string) => ({
  metadata: { name, namespace: api.systemNamespace },
  spec: { holderIdentity: 'web', leaseDurationSeconds: 30 },
});

describe('the API with its own token', () => {
  it('[I13] deploys versions and sets settings, also of a provider that runs elsewhere', async () => {
    await web.create(kinds.provider, providerOf('new', { version: '20260101.000000' }));
    await replace('box', { version: '20260102.000000', replicas: 2 });
    await replace('box', { settings: settingsOf('provider-box-settings-12345678') });
    await replace('far', { settings: settingsOf('provider-far-settings-12345678') });
  });

  it('[I13] writes the Leases of its replicas', async () => {
    const lease = leaseOf('fairlead-replica-0123456789abcdef');
    await web.create(leaseKind, lease as never);
    await web.delete(leaseKind, lease.metadata);
  });

  const forbidden: Record<string, () => Promise<unknown>> = {
    'sends the events of a provider elsewhere': () =>
      replace('far', { endpoint: 'https://attacker.example' }),
    'gives a provider an endpoint': () =>
      replace('box', { endpoint: 'https://attacker.example', version: undefined }),
    'creates a provider with an endpoint': () =>
      web.create(kinds.provider, providerOf('evil', { endpoint: 'https://attacker.example' })),
    'takes the authorities of an endpoint away': () => replace('far', { caBundle: undefined }),
    'has pods mount any Secret as settings': () => replace('box', { settingsSecret: 'foreign' }),
    'has pods mount any Secret in place of the settings': () =>
      replace('box', { settings: settingsOf('foreign') }),
    'has pods mount the settings of another provider': () =>
      replace('box', { settings: settingsOf('provider-far-settings-12345678') }),
    'creates the Lease of a controller': () =>
      web.create(leaseKind, leaseOf('fairlead-controller-7') as never),
    'removes the Lease of the controllers': () =>
      web.delete(leaseKind, { namespace: api.systemNamespace, name: 'fairlead-controller' }),
  };

  it.each(Object.entries(forbidden))('[I13] never %s', async (_name, act) => {
    const refused = await act().catch((thrown: unknown) => thrown);
    expect(hasReason(refused, 'forbidden', 'invalid'), String(refused)).toBe(true);
    expect(String(refused)).toMatch(byPolicy);
  });
});
