// Watchers of an organization are notified of its suspension, from a real API server through a real cache.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conditions } from '../../../src/crds/conditions.ts';
import { Organization } from '../../../src/crds/organization.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import type { Informer } from '../../../src/kube/api.ts';
import { createInformer } from '../../../src/kube/informer/informer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import type { OrganizationStore } from '../../../src/store/interfaces.ts';
import { apiVersion, kinds } from '../../../src/store/kinds.ts';
import type { Provisioning } from '../../../src/store/organizations/provisioning.ts';
import { createOrganizationStore } from '../../../src/store/organizations/store.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { eventually } from '../../support/runner/eventually.ts';

const client = clientWithCrds();
let cache: Informer<Organization>;
let store: OrganizationStore;

beforeAll(async () => {
  const kubeDeps = { client, clock: systemClock, log: silentLog, random: Math.random };
  cache = createInformer<Organization>({ ...kubeDeps, kind: Organization });
  await cache.start();
  store = createOrganizationStore({ client, clock: systemClock, cache, provisioning: () => ({}) });
});

afterAll(() => cache?.stop());

/** An organization that is in the cache, and how often its watcher was notified. */
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
  let notifications = 0;
  const stop = store.whenRefused(organization, () => {
    notifications += 1;
  });
  return { organization, name, stop, notifications: () => notifications };
}

it('[T13] notifies watchers of a suspension', async () => {
  const { name, notifications } = await watched();
  await client.patch(kinds.organization, { name }, { spec: { displayName: 'Other' } });
  await eventually(() => expect(cache.get(name)?.spec.displayName).toBe('Other'));
  expect(notifications(), 'another change').toBe(0);
  await client.patch(kinds.organization, { name }, { spec: { suspended: true } });
  await eventually(() => expect(notifications()).toBe(1));
});

it('[T13] notifies watchers of a deletion', async () => {
  const { name, notifications } = await watched();
  await client.delete(kinds.organization, { name });
  await eventually(() => expect(notifications()).toBe(1));
});

it('[T13] notifies late watchers at once, and not those that stopped', async () => {
  const { organization, name, stop, notifications } = await watched();
  stop();
  await client.patch(kinds.organization, { name }, { spec: { suspended: true } });
  await eventually(() => expect(cache.get(name)?.spec.suspended).toBe(true));
  expect(notifications()).toBe(0);
  let late = 0;
  store.whenRefused(organization, () => {
    late += 1;
  })();
  expect(late).toBe(1);
});

/** As its reconciler does once the namespace exists. */
async function makeReady(name: string): Promise<void> {
  const read = await client.get<Organization>(kinds.organization, { name });
  const met = conditions([{ type: 'Ready', status: 'True', reason: 'Available', message: '' }], {
    ...{ previous: [], generation: 1, now: new Date() },
  });
  await client.replaceStatus(kinds.organization, { ...read, status: { conditions: met } });
}

describe('a new organization', () => {
  const fresh = (issuer: string) => organizationOf(issuer, `new-${randomUUID().slice(0, 8)}`);
  const among = (provisioning: Provisioning | undefined) =>
    createOrganizationStore({ client, clock: systemClock, cache, provisioning });
  const there = ({ namespace }: { namespace: string }) => cache.get(namespace) !== undefined;

  it('[I7] is rejected with the remedy where tokens create none, and served once it exists', async () => {
    const closed = among(undefined);
    const organization = fresh('https://closed.test');
    await expect(closed.ensure(organization)).rejects.toMatchObject({
      code: 'organization_unknown',
      message: expect.stringContaining(`Organization ${organization.namespace} with issuer`),
    });
    expect(() => closed.check(organization)).toThrow(/ask an administrator/);
    among(() => ({})).check(organization);
    expect(there(organization)).toBe(false);
    const { namespace: name, issuer, id } = organization;
    const spec = { issuer, externalId: id };
    const object = { apiVersion, kind: kinds.organization.kind, metadata: { name }, spec };
    await client.create<Organization>(kinds.organization, object);
    await eventually(() => expect(there(organization)).toBe(true));
    await makeReady(name);
    await closed.ensure(organization);
  });

  it('[I7] counts against the limit of its issuer, also for parallel requests', async () => {
    const issuer = `https://busy-${randomUUID().slice(0, 8)}.test`;
    const busy = among(() => ({ maxOrganizations: 3, organizationsPerHour: 100 }));
    const many = Array.from({ length: 8 }, () => fresh(issuer));
    const asked = many.map((each) => busy.ensure(each).catch((thrown: unknown) => thrown));
    await eventually(() => expect(many.filter(there)).toHaveLength(3));
    const refused = (await Promise.all(asked.slice(3))) as unknown[];
    for (const each of refused) expect(each).toMatchObject({ code: 'limit_reached' });
    // Another issuer has room of its own.
    const other = fresh(`https://other-${randomUUID().slice(0, 8)}.test`);
    const asking = busy.ensure(other).catch(() => undefined);
    await eventually(() => expect(there(other)).toBe(true));
    for (const { namespace } of [...many.filter(there), other]) await makeReady(namespace);
    await Promise.all([...asked, asking]);
  });
});
