// The history of a resource over HTTP and in its ConfigMap, on a real API server.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import { configOnly } from '../../../src/domain/secrets/type-schemas.ts';
import type { KindRef, KubeClient, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { annotation, configMapKind, kinds } from '../../../src/store/kinds.ts';
import {
  createHistoryKeeper,
  type HistoryKeeper,
} from '../../../src/store/resources/history/keeper.ts';
import { startFaultProxy } from '../../support/faults/fault-proxy.ts';
import { resourceObjects } from '../../support/fixtures/resource-objects.ts';
import { sharedControlPlane, sharedIdentities } from '../../support/servers/control-plane.ts';
import { type ApiCaller, type ServedApi, serveApi } from '../../support/servers/served-api.ts';

const organization = `history-${randomUUID().slice(0, 8)}`;
const canary = 'canary-91d2';
const apis: ServedApi[] = [];
let client: KubeClient;
let ada: ApiCaller;
/** At another replica. */
let bob: ApiCaller;
let eve: ApiCaller;
let objects: ReturnType<typeof resourceObjects>;
let keeper: HistoryKeeper;

interface Stored extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

interface Entry {
  readonly revision: number;
  readonly applied_by: string | null;
  readonly applied_at: string | null;
  readonly kept: boolean;
  readonly current: boolean;
  readonly changes: readonly object[] | null;
}

beforeAll(async () => {
  const first = await serveApi();
  apis.push(first);
  const { systemNamespace, issuer } = first;
  const second = await serveApi({ systemNamespace, issuer });
  apis.push(second);
  client = createKubeClient(loadCluster(sharedControlPlane()));
  ada = await first.caller(organization, { sub: 'ada' });
  bob = await second.caller(organization, { sub: 'bob' });
  eve = await first.caller(organization, { sub: 'eve', role: 'viewer' });
  objects = resourceObjects(first, organization);
  const definitions = { schemasOf: () => configOnly({}) };
  keeper = createHistoryKeeper({ client, log: silentLog, definitions });
  const properties = { password: { writeOnly: true }, n: { type: 'integer' } };
  const schema = { type: 'object', properties };
  await ada.post('/resources/register', { provider: 'box', resource: 'crate', schema });
});

afterAll(async () => {
  await objects?.close();
  await client?.close();
  for (const api of apis.toReversed()) await api.close();
});

const pathOf = (name: string) => `/resources/box/crate/${name}/history`;

async function apply(caller: ApiCaller, name: string, config: object, more: object = {}) {
  const body = { provider: 'box', resource: 'crate', name, config, ...more };
  const answer = await caller.post('/resources/apply', body);
  expect(answer.status, answer.text).toBe(200);
}

async function historyOf(name: string): Promise<readonly Entry[]> {
  const [answer, byId] = await Promise.all([
    ada.get(pathOf(name)),
    eve.get(`/resources/box:crate:${name}/history`),
  ]);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.text).not.toContain(canary);
  expect(byId.body, 'viewers see the same').toEqual(answer.body);
  return answer.body as readonly Entry[];
}

async function refOf(name: string) {
  const { metadata } = await objects.get(`box/crate/${name}`);
  return { namespace: metadata.namespace ?? '', name: `history-${metadata.uid}` };
}

async function storedFor(name: string): Promise<Stored | undefined> {
  return await client.get<Stored>(configMapKind, await refOf(name)).catch(() => undefined);
}

it('shows who applied which content, and what changed, without secrets', async () => {
  await apply(ada, 'a', { size: 1, password: canary });
  expect(await storedFor('a'), 'nothing is written on create').toBeUndefined();
  await apply(bob, 'a', { size: 1, password: canary }, { tags: ['x'] });
  expect(await storedFor('a'), 'nor for tags').toBeUndefined();
  await apply(bob, 'a', { size: 2, password: canary });
  await apply(ada, 'a', { size: 2, password: `${canary}-2` });
  const list = await historyOf('a');
  expect(list).toMatchObject([
    {
      ...{ revision: 3, applied_by: 'ada', current: true, kept: true },
      changes: [{ path: '/config/password', change: 'changed' }],
    },
    {
      ...{ revision: 2, applied_by: 'bob', current: false, kept: true },
      changes: [{ path: '/config/size', change: 'changed', before: 1, after: 2 }],
    },
    { revision: 1, applied_by: 'ada', current: false, kept: true, changes: null },
  ]);
  expect(list.every(({ applied_at }) => applied_at !== null)).toBe(true);
  expect(JSON.stringify(await storedFor('a'))).not.toContain(canary);
});

it('shows a content to viewers, with null in place of secrets, the present one as well', async () => {
  await apply(ada, 'b', { size: 1, password: canary });
  await apply(ada, 'b', { size: 2, password: canary });
  for (const [revision, size] of [
    [1, 1],
    [2, 2],
  ]) {
    const { body, status } = await eve.get(`${pathOf('b')}/${revision}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ revision, config: { size, password: null }, masked: ['/config/password'] },
    });
  }
  expect((await eve.get(`${pathOf('b')}/77`)).status).toBe(404);
  expect((await eve.get(`${pathOf('b')}/x`)).status).toBe(422);
  expect((await eve.get(pathOf('nobody'))).status).toBe(404);
});

it('masks what the type marks since', async () => {
  await ada.post('/resources/register', { provider: 'box', resource: 'late', schema: {} });
  const body = { provider: 'box', resource: 'late', name: 'a' };
  for (const token of [canary, 'two']) {
    expect((await ada.post('/resources/apply', { ...body, config: { token } })).status).toBe(200);
  }
  const schema = { type: 'object', properties: { token: { format: 'password' } } };
  await ada.post('/resources/register', { provider: 'box', resource: 'late', schema });
  const list = await ada.get('/resources/box/late/a/history');
  expect(list.body).toMatchObject([
    { changes: [{ path: '/config/token', change: 'unknown' }] },
    {},
  ]);
  const first = await ada.get('/resources/box/late/a/history/1');
  expect(first.body).toMatchObject({ config: { token: null }, masked: ['/config/token'] });
});

it('keeps ten revisions, and goes with the resource', async () => {
  for (let size = 1; size <= 12; size += 1) await apply(ada, 'many', { size });
  const all = await historyOf('many');
  expect(all.map(({ revision }) => revision)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  expect(all.slice(0, 9).every(({ changes }) => changes?.length === 1)).toBe(true);
  const { metadata } = await objects.get('box/crate/many');
  // The garbage collector of Kubernetes deletes it.
  expect(await storedFor('many')).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'Resource', uid: metadata.uid }] },
  });
});

it('keeps newer contents when a replica with an old cache applies', async () => {
  const sized = (size: number) => ({ size, text: 'x'.repeat(8_000) });
  for (let size = 1; size <= 5; size += 1) await apply(ada, 'behind', sized(size));
  const proxy = await startFaultProxy(sharedIdentities().controller);
  const [{ systemNamespace, issuer }] = apis as [ServedApi];
  const replica = await serveApi({ systemNamespace, issuer, kubeconfig: proxy.kubeconfig });
  const released = Promise.withResolvers<void>();
  try {
    expect(proxy.disturb('resources', { holdUntil: released.promise })).toBeGreaterThan(0);
    for (let size = 6; size <= 7; size += 1) await apply(ada, 'behind', sized(size));
    const late = await replica.caller(organization, { sub: 'late' });
    await apply(late, 'behind', sized(8));
    const all = await historyOf('behind');
    const kept = all.filter((each) => each.kept).map(({ revision }) => revision);
    expect(kept.slice(0, 7)).toEqual([8, 7, 6, 5, 4, 3, 2]);
  } finally {
    released.resolve();
    await replica.close();
    await proxy.stop();
  }
});

it('loses nothing and attributes nothing wrongly when many apply at once, at two replicas', async () => {
  await apply(ada, 'busy', { n: 0 });
  const callers = [ada, bob];
  await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const config = { n: n + 1 };
      const body = { provider: 'box', resource: 'crate', name: 'busy', config };
      // 409 is the answer to a race that is lost too often.
      const answer = await callers[n % 2]?.post('/resources/apply', body);
      expect([200, 409]).toContain(answer?.status);
    }),
  );
  const all = await historyOf('busy');
  expect(all.map(({ revision }) => revision)).toEqual(all.map((_, at) => all.length - at));
  expect(all.every(({ kept }) => kept)).toBe(true);
  for (const { revision, applied_by } of all) {
    const answer = await ada.get(`${pathOf('busy')}/${revision}`);
    const { n } = (answer.body as { config: { n: number } }).config;
    expect(applied_by, `${revision}`).toBe(n === 0 || n % 2 === 1 ? 'ada' : 'bob');
  }
});

it('shows no revision that never was, after a crash between the two writes', async () => {
  await apply(ada, 'cut', { n: 1 });
  const [{ issuer }] = apis as [ServedApi];
  await keeper.keep(organizationOf(issuer.url, organization), await objects.get('box/crate/cut'));
  expect(await historyOf('cut')).toMatchObject([{ revision: 1, current: true, changes: null }]);
  await apply(bob, 'cut', { n: 2 });
  expect(await historyOf('cut')).toMatchObject([
    { revision: 2, applied_by: 'bob' },
    { revision: 1, applied_by: 'ada' },
  ]);
});

it('attributes a change with kubectl to nobody, and shows what it replaced as not kept', async () => {
  await apply(ada, 'touched', { n: 1 });
  const { metadata } = await objects.get('box/crate/touched');
  const ref = { namespace: metadata.namespace ?? '', name: metadata.name };
  await client.patch(kinds.resource, ref, { spec: { config: { n: 2 } } });
  await apply(bob, 'touched', { n: 3 });
  expect(await historyOf('touched')).toMatchObject([
    { revision: 3, applied_by: 'bob', kept: true },
    { revision: 2, applied_by: null, applied_at: null, kept: true, changes: null },
    { revision: 1, kept: false, changes: null },
  ]);
});

it('begins with the content of a release without histories', async () => {
  await apply(ada, 'old', { n: 1 });
  const { metadata } = await objects.get('box/crate/old');
  const ref = { namespace: metadata.namespace ?? '', name: metadata.name };
  const annotations = { [annotation.revision]: null, [annotation.appliedBy]: null };
  const spec = { config: { n: 5 } };
  await client.patch(kinds.resource, ref, { metadata: { annotations }, spec });
  const unknown = { revision: 1, applied_by: null, applied_at: null, kept: true, changes: null };
  expect(await historyOf('old')).toMatchObject([unknown]);
  await apply(bob, 'old', { n: 2 });
  expect(await historyOf('old')).toMatchObject([
    { revision: 2, applied_by: 'bob', changes: [{ path: '/config/n', before: 5, after: 2 }] },
    { ...unknown, current: false },
  ]);
});

it('keeps the largest configs until the next, within the limit of an object', async () => {
  const text = 'x'.repeat(262_144 - 20);
  for (const n of [1, 2, 3]) await apply(ada, 'large', { n, text });
  expect(await historyOf('large')).toMatchObject([
    { revision: 3, kept: true },
    { revision: 2, kept: true },
    { revision: 1, kept: false, applied_by: 'ada' },
  ]);
  expect(JSON.stringify(await storedFor('large')).length).toBeLessThan(524_288);
});

it('makes a new ConfigMap when somebody deleted it', async () => {
  for (const n of [1, 2, 3]) await apply(ada, 'cleared', { n });
  await client.delete(configMapKind, await refOf('cleared'), {});
  await apply(ada, 'cleared', { n: 4 });
  expect(await historyOf('cleared')).toMatchObject([
    { revision: 4, kept: true },
    { revision: 3, kept: true },
    { revision: 2, kept: false },
    { revision: 1, kept: false },
  ]);
});

const quotaKind: KindRef = {
  ...{ group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas' },
  namespaced: true,
};

describe('a storage that refuses', () => {
  it('does not stop an apply', async () => {
    await apply(ada, 'full', { n: 1 });
    const { metadata } = await objects.get('box/crate/full');
    const hard = { 'count/configmaps': '0' };
    const named = { namespace: metadata.namespace ?? '', name: `full-${randomUUID()}` };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: named, spec: { hard } };
    const made = await client.create<KubeObject>(quotaKind, quota);
    try {
      // No controller computes it here.
      await client.replaceStatus(quotaKind, { ...made, status: { hard, used: hard } });
      await apply(bob, 'full', { n: 2 });
      expect(await historyOf('full')).toMatchObject([
        { revision: 2, applied_by: 'bob', kept: true, changes: null },
        { revision: 1, kept: false, applied_by: null },
      ]);
    } finally {
      await client.delete(quotaKind, named, {});
    }
  });
});
