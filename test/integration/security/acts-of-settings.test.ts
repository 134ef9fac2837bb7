// What the API can do with the Secrets of settings, and with those of others, with its own token on a real API server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { hasReason } from '../../../src/kube/errors.ts';
import { secretKind } from '../../../src/store/kinds.ts';
import {
  type Act,
  byPolicy,
  byRbac,
  create,
  ownerOf,
  secret,
} from '../../support/fixtures/acts.ts';
import { sharedControlPlane, sharedIdentities } from '../../support/servers/control-plane.ts';
import { type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let admin: StreamingClient;
let web: StreamingClient;
let tenant: string;

const foreign = 'foreign';
const likeSettings = 'provider-own-settings-1';
const settingsRef = () => ({ namespace: tenant, name: 'provider-box-settings-12345678' });

beforeAll(async () => {
  api = await serveApi();
  await (await api.caller('acts-of-settings')).get('/resources/');
  tenant = organizationOf(api.issuer.url, 'acts-of-settings').namespace;
  admin = createKubeClient(loadCluster(sharedControlPlane()));
  web = createKubeClient(loadCluster({ kubeconfig: sharedIdentities().api }));
  for (const name of [foreign, likeSettings]) {
    await create(secretKind, () => secret(tenant, {}, { name }))(admin);
  }
});

afterAll(async () => {
  await Promise.all([admin, web].map((each) => each?.close()));
  await api?.close();
});

describe('the API with its own token', () => {
  it('[K02] creates and changes the settings of a provider, and gets no value back', async () => {
    const data = { url: Buffer.from('canary').toString('base64') };
    const settings = secret(tenant, { data }, { ...settingsRef(), ...ownerOf('Provider', 'box') });
    const answer = { answer: 'metadata' } as const;
    const made = await web.create(secretKind, settings as KubeObject, answer);
    const change = { data: { more: data.url } };
    const patched = await web.patch(secretKind, settingsRef(), change, answer);
    for (const body of [made, patched]) {
      expect(body).toMatchObject({ kind: 'PartialObjectMetadata' });
      expect(body).not.toHaveProperty('data');
    }
    const stored = await admin.get(secretKind, settingsRef());
    expect(stored).toMatchObject({ data: { ...data, more: data.url } });
  });

  const forbidden: Record<string, [Act, RegExp]> = {
    'reads the settings of a provider': [(client) => client.get(secretKind, settingsRef()), byRbac],
    'deletes the settings of a provider': [
      (client) => client.delete(secretKind, settingsRef()),
      byRbac,
    ],
    'makes a Secret of a Provider that is not that of its settings': [
      create(secretKind, () =>
        secret(tenant, {}, { name: 'provider-box-1', ...ownerOf('Provider', 'box') }),
      ),
      byPolicy,
    ],
    // A patch answers with the object, even one that changes nothing.
    'patches the Secret of somebody else': [
      (client) => client.patch(secretKind, { namespace: tenant, name: foreign }, {}),
      byPolicy,
    ],
    'takes over a Secret with the name of settings': [
      (client) => {
        const metadata = ownerOf('Provider', 'own');
        return client.patch(secretKind, { namespace: tenant, name: likeSettings }, { metadata });
      },
      byPolicy,
    ],
  };

  it.each(Object.entries(forbidden))('[K02] never %s', async (_name, [act, by]) => {
    const refused = await act(web).catch((thrown: unknown) => thrown);
    expect(hasReason(refused, 'forbidden', 'invalid'), String(refused)).toBe(true);
    expect(String(refused)).toMatch(by);
  });
});
