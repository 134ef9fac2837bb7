// Forbidden acts of Fairlead's accounts, one by one, each with its own token on a real API server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, podKind, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { hasReason } from '../../../src/kube/errors.ts';
import { evaluationManifests, systemNamespace } from '../../../src/permissions/roles.ts';
import { guardKinds } from '../../../src/reconcilers/organization/guard-kinds.ts';
import { namespaceLabels, tenantApiRole } from '../../../src/reconcilers/organization/guards.ts';
import { deploymentKind, jobKind } from '../../../src/reconcilers/workloads.ts';
import { publishedKeysName } from '../../../src/store/event-keys.ts';
import { configMapKind, namespaceKind, secretKind } from '../../../src/store/kinds.ts';
import { systemKeys } from '../../../src/store/system.ts';
import {
  type Act,
  accountToken,
  apiGroup,
  byPolicy,
  byRbac,
  clusterRoleBindingKind,
  container,
  create,
  job,
  mine,
  ownerOf,
  podSpec,
  reads,
  roleBinding,
  roleKind,
  secret,
  tenantToken,
} from '../../support/fixtures/acts.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { sharedControlPlane, sharedIdentities } from '../../support/servers/control-plane.ts';
import { applyManifests } from '../../support/servers/least-privilege.ts';
import { type ServedApi, serveApi } from '../../support/servers/served-api.ts';

let api: ServedApi;
let admin: StreamingClient;
let controller: StreamingClient;
let web: StreamingClient;
let tenant: string;

beforeAll(async () => {
  api = await serveApi();
  await (await api.caller('acts')).get('/resources/');
  tenant = organizationOf(api.issuer.url, 'acts').namespace;
  admin = createKubeClient(loadCluster(sharedControlPlane()));
  controller = createKubeClient(loadCluster({ kubeconfig: sharedIdentities().controller }));
  web = createKubeClient(loadCluster({ kubeconfig: sharedIdentities().api }));
  const metadata = { name: publishedKeysName, namespace: systemNamespace };
  await applyManifests(admin, [{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
});

afterAll(async () => {
  await Promise.all([admin, controller, web].map((each) => each?.close()));
  await api?.close();
});

const publishedKeys = { namespace: systemNamespace, name: publishedKeysName };

describe('the controller with its own token', () => {
  const forbidden: Record<string, [Act, RegExp]> = {
    'binds its role in kube-system': [
      create(guardKinds.roleBinding, () => roleBinding('kube-system')),
      byPolicy,
    ],
    'binds cluster-admin in the namespace of a tenant': [
      create(guardKinds.roleBinding, () =>
        roleBinding(tenant, {
          metadata: { name: 'more', namespace: tenant },
          roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
        }),
      ),
      byRbac,
    ],
    'binds the role of the API to itself': [
      create(guardKinds.roleBinding, () =>
        roleBinding(tenant, {
          metadata: { name: tenantApiRole, namespace: tenant },
          roleRef: { apiGroup, kind: 'ClusterRole', name: tenantApiRole },
        }),
      ),
      byPolicy,
    ],
    'binds its role to another account': [
      create(guardKinds.roleBinding, () =>
        roleBinding(tenant, {
          metadata: { name: 'more', namespace: tenant },
          subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: tenant }],
        }),
      ),
      byPolicy,
    ],
    'binds cluster-admin to itself': [
      create(clusterRoleBindingKind, () => ({
        metadata: { name: 'more' },
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [mine],
      })),
      byRbac,
    ],
    'makes a namespace without the prefix': [
      create(namespaceKind, () => ({ metadata: { name: 'plain', labels: namespaceLabels() } })),
      byPolicy,
    ],
    'makes a namespace without Pod Security': [
      create(namespaceKind, () => ({ metadata: { name: 'fl-open-0123456789ab' } })),
      byPolicy,
    ],
    'weakens Pod Security of a tenant': [
      (client) =>
        client.patch(
          namespaceKind,
          { name: tenant },
          { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } },
        ),
      byPolicy,
    ],
    'weakens Pod Security of kube-system': [
      (client) =>
        client.patch(namespaceKind, { name: 'kube-system' }, { metadata: { labels: { a: 'b' } } }),
      byPolicy,
    ],
    'makes a pod': [
      create(podKind, () => ({ metadata: { name: 'act', namespace: tenant }, spec: podSpec() })),
      byRbac,
    ],
    'runs a Job in kube-system': [create(jobKind, () => job('kube-system')), byRbac],
    'runs a Job as another account': [
      create(jobKind, () => job(tenant, { serviceAccountName: 'default' })),
      byPolicy,
    ],
    'runs a Job with a token': [
      create(jobKind, () => job(tenant, { automountServiceAccountToken: true })),
      byPolicy,
    ],
    'runs a Job on the network of the node': [
      create(jobKind, () => job(tenant, { hostNetwork: true })),
      byPolicy,
    ],
    'runs a Job with a folder of the node': [
      create(jobKind, () => job(tenant, { volumes: [{ name: 'v', hostPath: { path: '/' } }] })),
      byPolicy,
    ],
    'runs a privileged Job': [
      create(jobKind, () =>
        job(tenant, { containers: [{ ...container, securityContext: { privileged: true } }] }),
      ),
      // Some API servers refuse that of everybody.
      /ValidatingAdmissionPolicy|disallowed by cluster policy/,
    ],
    'deploys as another account': [
      create(deploymentKind, () => ({
        metadata: { name: 'act', namespace: tenant },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: podSpec({ serviceAccountName: 'default', restartPolicy: 'Always' }),
          },
        },
      })),
      byPolicy,
    ],
    'gives its pods a token': [
      (client) =>
        client.patch(
          guardKinds.serviceAccount,
          { namespace: tenant, name: 'fairlead-build' },
          { automountServiceAccountToken: true },
        ),
      byRbac,
    ],
    'makes a Secret that becomes a token of an account': [
      create(secretKind, () => secret(tenant, accountToken)),
      byPolicy,
    ],
    'makes a Secret of that type for a tenant': [
      create(secretKind, () => secret(tenant, { type: tenantToken.type }, tenantToken.metadata)),
      byPolicy,
    ],
    'makes a needless Secret of a tenant': [create(secretKind, () => secret(tenant)), byPolicy],
    'makes a Secret of a tenant with an unrelated name': [
      create(secretKind, () => secret(tenant, {}, ownerOf('Build', 'box-1'))),
      byPolicy,
    ],
    'makes a Secret of its own that is not a key': [
      create(secretKind, () => secret(tenant, {}, { namespace: systemNamespace })),
      byPolicy,
    ],
    'reads secrets of the whole cluster': [(client) => client.list(secretKind), byRbac],
    'reads secrets of a tenant': [
      (client) => client.get(secretKind, { namespace: tenant, name: 'any' }),
      byRbac,
    ],
    'writes ConfigMaps of the cluster': [
      create(configMapKind, () => ({ metadata: { name: 'act', namespace: 'kube-system' } })),
      // The account of this run has the rights of the API as well, which admission keeps in.
      /ValidatingAdmissionPolicy|cannot create resource/,
    ],
    'deletes a namespace': [(client) => client.delete(namespaceKind, { name: tenant }), byRbac],
  };

  it.each(Object.entries(forbidden))('[K02] never %s', async (_name, [act, by]) => {
    const refused = await act(controller).catch((thrown: unknown) => thrown);
    expect(hasReason(refused, 'forbidden', 'invalid'), String(refused)).toBe(true);
    expect(String(refused)).toMatch(by);
  });

  it('[K02] can create what it needs', async () => {
    await create(jobKind, () => job(tenant))(controller);
    const made = await admin.get<KubeObject>(jobKind, { namespace: tenant, name: 'act' });
    expect(made.metadata.name).toBe('act');
  });

  it.each([
    { name: 'act', type: 'Opaque', owner: ownerOf('Build', 'act') },
    { name: 'provider-box-1', type: 'Opaque', owner: ownerOf('Provider', 'box') },
    {
      name: 'act-pull-01234567',
      type: 'kubernetes.io/dockerconfigjson',
      owner: ownerOf('Build', 'act'),
    },
  ])('[K02] creates the Secret $name of type $type', async ({ name, type, owner }) => {
    const stringData = type === 'Opaque' ? {} : { '.dockerconfigjson': '{"auths":{}}' };
    await create(secretKind, () => secret(tenant, { type, stringData }, { name, ...owner }))(
      controller,
    );
  });
});

describe('the API with its own token', () => {
  // In evaluation mode it may make one Secret; what keeps it to that is admission.
  it('[K02] creates only the Secret of its issuer key, where it may create any', async () => {
    await applyManifests(admin, evaluationManifests());
    const issuer = { name: systemKeys.evaluation, namespace: systemNamespace };
    const ended = async (object: object) =>
      String(await create(secretKind, () => object)(web).catch((thrown: unknown) => thrown));
    await eventually(async () => {
      if (/cannot create/.test(await ended(secret(tenant, accountToken))))
        throw new Error('not yet bound');
    });
    expect(await ended(secret(tenant, accountToken))).toMatch(byPolicy);
    expect(
      await ended(
        secret(tenant, { ...accountToken, metadata: { ...accountToken.metadata, ...issuer } }),
      ),
    ).toMatch(byPolicy);
    expect(await ended(secret(tenant, {}, { namespace: systemNamespace }))).toMatch(byPolicy);
    const plans = { name: systemKeys.plans, namespace: systemNamespace };
    expect(await ended(secret(tenant, {}, plans))).toMatch(byPolicy);
    await create(secretKind, () => secret(tenant, {}, issuer))(web);
    for (const kind of [roleKind, guardKinds.roleBinding]) {
      await admin.delete(kind, { name: 'fairlead-evaluation', namespace: systemNamespace });
    }
    await admin.delete(secretKind, issuer);
  });

  const forbidden: Record<string, [Act, RegExp]> = {
    'runs a Job of a tenant': [create(jobKind, () => job(tenant)), byRbac],
    'makes a needless Secret of a tenant': [create(secretKind, () => secret(tenant)), byPolicy],
    'makes a Secret that becomes a token of the controller': [
      create(secretKind, () => secret(tenant, accountToken)),
      byPolicy,
    ],
    'reads the private key of events': [reads(systemKeys.events), byRbac],
    'reads the authority of providers': [reads(systemKeys.authority), byRbac],
    'reads the key of an issuer that does not exist': [reads(systemKeys.evaluation), byRbac],
    'publishes keys of events': [
      (client) => client.patch(configMapKind, publishedKeys, { data: { 'jwks.json': '{}' } }),
      byRbac,
    ],
    'writes a ConfigMap of its own': [
      create(configMapKind, () => ({ metadata: { name: 'act', namespace: systemNamespace } })),
      byRbac,
    ],
    'takes the published keys of events away': [
      (client) => client.delete(configMapKind, publishedKeys),
      byPolicy,
    ],
    'reads ConfigMaps of the cluster': [(client) => client.list(configMapKind), byRbac],
    'reads ConfigMaps of kube-system': [
      (client) => client.list(configMapKind, { namespace: 'kube-system' }),
      byRbac,
    ],
    'looks at pods of the cluster': [(client) => client.list(podKind), byRbac],
    'reads logs of kube-system': [
      (client) =>
        client.podLogs(
          { namespace: 'kube-system', name: 'any' },
          { container: 'main' },
          AbortSignal.timeout(10_000),
        ),
      byRbac,
    ],
    'makes a namespace': [
      create(namespaceKind, () => ({ metadata: { name: 'fl-x-0123456789ab' } })),
      byRbac,
    ],
    'binds a role': [create(guardKinds.roleBinding, () => roleBinding(tenant)), byRbac],
    'writes ConfigMaps of the cluster': [
      create(configMapKind, () => ({ metadata: { name: 'act', namespace: 'kube-system' } })),
      byRbac,
    ],
  };

  it.each(Object.entries(forbidden))('[K02] never %s', async (_name, [act, by]) => {
    const refused = await act(web).catch((thrown: unknown) => thrown);
    expect(hasReason(refused, 'forbidden', 'invalid'), String(refused)).toBe(true);
    expect(String(refused)).toMatch(by);
  });
});
