// Owners of namespaces: Fairlead uses only namespaces that it created for the organization, on a real API server.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Build } from '../../../src/crds/build.ts';
import { findCondition } from '../../../src/crds/conditions.ts';
import type { Organization } from '../../../src/crds/organization.ts';
import { organizationOf } from '../../../src/domain/identity.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { guardKinds } from '../../../src/reconcilers/organization/guard-kinds.ts';
import { namespaceLabels } from '../../../src/reconcilers/organization/guards.ts';
import { namespaceAnnotations } from '../../../src/reconcilers/organization/ownership.ts';
import { jobKind } from '../../../src/reconcilers/workloads.ts';
import { kinds, namespaceKind } from '../../../src/store/kinds.ts';
import { push, pushed } from '../../support/fixtures/code/provider-code.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane } from '../../support/servers/control-plane.ts';
import { type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let admin: StreamingClient;

beforeAll(async () => {
  admin = createKubeClient(loadCluster(sharedControlPlane()));
  api = await serveApi({ parallelBuilds: 2 });
});

afterAll(async () => {
  await admin?.close();
  await api?.close();
});

const nameOf = (id: string) => organizationOf(api.issuer.url, id).namespace;
const uidOf = async (name: string) =>
  (await admin.get<KubeObject>(namespaceKind, { name })).metadata.uid ?? '';
const stored = (name: string) => admin.get<Organization>(kinds.organization, { name });

/** Writes as an administrator, who may write the status. */
const record = (name: string, uid: string | undefined) =>
  eventually(async () => {
    const { namespaceUid: _before, ...status } = (await stored(name)).status ?? {};
    const { metadata } = await stored(name);
    await admin.replaceStatus<Organization>(kinds.organization, {
      apiVersion: 'fairlead.dev/v1alpha1',
      kind: 'Organization',
      metadata,
      status: uid === undefined ? status : { ...status, namespaceUid: uid },
    });
  });

async function eventuallyReady(name: string, reason: string) {
  return await eventually(async () => {
    const ready = findCondition((await stored(name)).status?.conditions, 'Ready');
    expect(ready).toMatchObject({ reason });
    return ready?.message ?? '';
  });
}

it('[K21] rejects an existing namespace, and adopts it when an administrator allows it', async () => {
  const id = 'adopted';
  const name = nameOf(id);
  const spec = { issuer: api.issuer.url, externalId: id };
  const organization = { metadata: { name }, spec };
  const annotations = namespaceAnnotations({ organization });
  await admin.create(namespaceKind, {
    metadata: { name, labels: namespaceLabels(), annotations },
  } as KubeObject);
  const acme = await api.caller(id);
  expect(await acme.get('/resources/')).toMatchObject({ status: 503 });
  const uid = await uidOf(name);
  const message = await eventuallyReady(name, 'NamespaceTaken');
  expect(message).toContain(
    `kubectl patch organizations.fairlead.dev ${name} --subresource=status`,
  );
  expect(message).toContain(`{"status":{"namespaceUid":"${uid}"}}`);
  expect((await admin.list(guardKinds.roleBinding, { namespace: name })).items).toEqual([]);
  await record(name, uid);
  await eventuallyReady(name, 'Provisioned');
  // The API answers from its cache, which learns of the status a moment later.
  await eventually(async () => expect((await acme.get('/resources/')).status).toBe(200));
});

it('[K21] records the namespace that it creates, and adopts none without that record', async () => {
  const id = 'recorded';
  const name = nameOf(id);
  const acme = await api.caller(id);
  expect((await acme.get('/resources/')).status).toBe(200);
  const uid = await uidOf(name);
  expect((await stored(name)).status).toMatchObject({ namespaceUid: uid });
  expect((await stored(name)).status).not.toHaveProperty('namespaceRequest');
  await record(name, undefined);
  await eventuallyReady(name, 'NamespaceTaken');
  expect((await stored(name)).status).not.toHaveProperty('namespaceUid');
  await record(name, uid);
  await eventuallyReady(name, 'Provisioned');
});

it('[K21] runs nothing in a namespace that replaced the one it created', async () => {
  const id = 'replaced';
  const name = nameOf(id);
  const acme = await api.caller(id);
  expect((await acme.get('/resources/')).status).toBe(200);
  const uid = await uidOf(name);
  const { job_name: build } = pushed(await push(acme, 'before'));
  await eventually(() => admin.get(jobKind, { namespace: name, name: build }));
  // Simulates a deleted and recreated namespace: a uid cannot be chosen.
  await record(name, '00000000-0000-4000-8000-000000000000');
  await eventuallyReady(name, 'NamespaceTaken');
  const version = '20260101.000000';
  const { spec } = await admin.get<Build>(kinds.build, { namespace: name, name: build });
  await admin.create<Build>(kinds.build, {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Build',
    metadata: { namespace: name, name: 'before-20260101-000000' },
    spec: { ...spec, version },
  } as Build);
  await eventually(async () => {
    const later = { namespace: name, name: 'before-20260101-000000' };
    const { status } = await admin.get<Build>(kinds.build, later);
    expect(findCondition(status?.conditions, 'Ready')).toMatchObject({
      reason: 'GuardsMissing',
      message: 'The namespace was not created for this organization',
    });
  });
  await record(name, uid);
  await eventuallyReady(name, 'Provisioned');
  await eventually(() => admin.get(jobKind, { namespace: name, name: 'before-20260101-000000' }));
});

it('[K21] reports bindings and policies that it did not create, also under its own label', async () => {
  const id = 'shared';
  const name = nameOf(id);
  expect((await (await api.caller(id)).get('/resources/')).status).toBe(200);
  const reported = async () =>
    findCondition((await stored(name)).status?.conditions, 'ForeignGuards')?.message;
  expect(await reported()).toBeUndefined();
  await admin.create(guardKinds.roleBinding, {
    metadata: { namespace: name, name: 'mallory' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [],
  } as unknown as KubeObject);
  await admin.create(guardKinds.networkPolicy, {
    metadata: {
      namespace: name,
      name: 'allow-all',
      labels: { 'app.kubernetes.io/managed-by': 'fairlead' },
    },
    spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
  } as KubeObject);
  await eventually(async () => {
    expect(await reported()).toMatch(/RoleBinding mallory, NetworkPolicy allow-all$/);
  });
  expect(findCondition((await stored(name)).status?.conditions, 'Ready')?.status).toBe('True');
  await admin.delete(guardKinds.roleBinding, { namespace: name, name: 'mallory' });
  await admin.delete(guardKinds.networkPolicy, { namespace: name, name: 'allow-all' });
  await eventually(async () => expect(await reported()).toBeUndefined());
});
