// Who watches an organization hears of its end, from a real API server through a real cache.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { crdManifests } from '../../../src/crds/manifest.ts';
import { Organization } from '../../../src/crds/organization.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import { silentLog } from '../../../src/domain/log.ts';
import type { Informer } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { installCrds } from '../../../src/kube/crd-installer.ts';
import { createInformer } from '../../../src/kube/informer.ts';
import type { OrganizationStore } from '../../../src/store/interfaces.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import { createOrganizationStore } from '../../../src/store/organizations.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { eventually } from '../../support/eventually.ts';

let client: StreamingClient;
let cache: Informer<Organization>;
let store: OrganizationStore;

beforeAll(async () => {
  client = createKubeClient(loadCluster(sharedControlPlane()));
  await installCrds(client, crdManifests('0.1.0'), { log: silentLog });
  const foundation = { client, clock: systemClock, log: silentLog, random: Math.random };
  cache = createInformer<Organization>({ ...foundation, kind: Organization });
  await cache.start();
  store = createOrganizationStore({ client, cache });
});

afterAll(async () => {
  await cache?.stop();
  await client?.close();
});

/** An organization that is in the cache, and how often its watcher was told. */
async function watched() {
  const organization = organizationOf('https://issuer.test', `org-${randomUUID().slice(0, 8)}`);
  const { namespace: name, issuer, id } = organization;
  await client.create<Organization>(kinds.organization, {
    apiVersion,
    kind: kinds.organization.kind,
    metadata: { name },
    spec: { issuer, externalId: id },
  });
  await eventually(() => expect(cache.get(name)).toBeDefined());
  let told = 0;
  const stop = store.whenRefused(organization, () => {
    told += 1;
  });
  return { organization, name, stop, told: () => told };
}

it('[T13] tells who watches that the organization is suspended', async () => {
  const { name, told } = await watched();
  await client.patch(kinds.organization, { name }, { spec: { displayName: 'Other' } });
  await eventually(() => expect(cache.get(name)?.spec.displayName).toBe('Other'));
  expect(told(), 'another change').toBe(0);
  await client.patch(kinds.organization, { name }, { spec: { suspended: true } });
  await eventually(() => expect(told()).toBe(1));
});

it('[T13] tells who watches that the organization is gone', async () => {
  const { name, told } = await watched();
  await client.delete(kinds.organization, { name });
  await eventually(() => expect(told()).toBe(1));
});

it('[T13] tells who comes too late at once, and nobody who has stopped watching', async () => {
  const { organization, name, stop, told } = await watched();
  stop();
  await client.patch(kinds.organization, { name }, { spec: { suspended: true } });
  await eventually(() => expect(cache.get(name)?.spec.suspended).toBe(true));
  expect(told()).toBe(0);
  let late = 0;
  store.whenRefused(organization, () => {
    late += 1;
  })();
  expect(late).toBe(1);
});
