// What Fairlead's accounts may do, asked of a real API server: the list, and forbidden acts one by one.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizationOf } from '../../../src/domain/identity.ts';
import type { KindRef, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient, podKind, type StreamingClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import { hasReason } from '../../../src/kube/errors.ts';
import { permissionFiles } from '../../../src/permissions/generate.ts';
import { accounts, systemNamespace } from '../../../src/permissions/roles.ts';
import {
  apiRules,
  apiSystemRules,
  controllerRules,
  controllerSystemRules,
  tenantRules,
} from '../../../src/permissions/rules.ts';
import { isolatedPod } from '../../../src/providers/workloads/pod.ts';
import { guardKinds } from '../../../src/reconcilers/organization/guard-kinds.ts';
import { namespaceLabels, tenantRole } from '../../../src/reconcilers/organization/guards.ts';
import { deploymentKind, jobKind } from '../../../src/reconcilers/workloads.ts';
import { configMapKind, namespaceKind, secretKind } from '../../../src/store/kinds.ts';
import { sharedControlPlane, sharedIdentities } from '../../support/control-plane.ts';
import { kubectlFor } from '../../support/kubectl.ts';
import { type ServedApi, serveApi } from '../../support/served-api.ts';

let api: ServedApi;
let admin: StreamingClient;
let controller: StreamingClient;
let web: StreamingClient;
let tenant: string;

beforeAll(async () => {
  api = await serveApi();
  await (await api.caller('rights')).get('/resources/');
  tenant = organizationOf(api.issuer.url, 'rights').namespace;
  admin = createKubeClient(loadCluster(sharedControlPlane()));
  controller = createKubeClient(loadCluster({ kubeconfig: sharedIdentities().controller }));
  web = createKubeClient(loadCluster({ kubeconfig: sharedIdentities().api }));
});

afterAll(async () => {
  await Promise.all([admin, controller, web].map((each) => each?.close()));
  await api?.close();
});

const listFile = join(import.meta.dirname, 'can-i.txt');

/** As `kubectl auth can-i --list` prints it, without what everybody who is known may do. */
async function canI(account: keyof typeof accounts, namespace: string): Promise<string> {
  const as = `system:serviceaccount:${systemNamespace}:${accounts[account]}`;
  const kubectl = kubectlFor(sharedControlPlane().kubeconfig, namespace);
  const groups = ['system:serviceaccounts', 'system:authenticated'];
  const flags = [`--as=${as}`, ...groups.map((group) => `--as-group=${group}`)];
  const said = await kubectl('auth', 'can-i', '--list', '--no-headers', ...flags);
  const lines = said
    .split('\n')
    .map((line) => line.trim().replace(/\s{2,}/g, '  '))
    .filter((line) => line !== '' && !/^\[|^self|^componentstatuses/.test(line))
    .sort();
  return lines.join('\n');
}

describe('the rights', () => {
  it('[K01] are those of the checked-in list, in every kind of namespace', async () => {
    const parts: string[] = [];
    for (const account of ['api', 'controller'] as const) {
      parts.push(`# ${accounts[account]} in any namespace`, await canI(account, 'default'));
      parts.push(`# ${accounts[account]} in a tenant's namespace`, await canI(account, tenant));
      parts.push(`# ${accounts[account]} in its own`, await canI(account, systemNamespace));
    }
    const found = `${parts.join('\n')}\n`;
    if (process.env['UPDATE_RIGHTS'] === 'true') await writeFile(listFile, found);
    expect(found).toBe(await readFile(listFile, 'utf8'));
  });

  const never = [
    ...['*', 'escalate', 'impersonate', 'deletecollection'],
    ...['pods/exec', 'pods/attach', 'serviceaccounts/token'],
  ];
  const all = {
    apiRules,
    apiSystemRules,
    controllerRules,
    controllerSystemRules,
    tenantRules,
  };

  it.each(Object.entries(all))('[K01] hold nothing of what nobody needs (%s)', (_name, rules) => {
    for (const { apiGroups, resources, verbs } of rules) {
      const words = [...apiGroups, ...resources, ...verbs];
      expect(words.filter((word) => never.includes(word))).toEqual([]);
    }
    const ofSecrets = rules.filter(({ resources }) => resources.includes('secrets'));
    expect(ofSecrets.flatMap(({ verbs }) => verbs)).not.toContain('list');
    expect(ofSecrets.flatMap(({ verbs }) => verbs)).not.toContain('watch');
    const binding = rules.filter(({ verbs }) => verbs.includes('bind'));
    expect(binding.every(({ resourceNames = [] }) => resourceNames.join() === tenantRole)).toBe(
      true,
    );
  });

  it('[K01] are in the manifests as they are in the code', async () => {
    for (const [name, content] of permissionFiles()) {
      const path = join(import.meta.dirname, '../../../manifests', name);
      expect(await readFile(path, 'utf8'), name).toBe(content);
    }
  });
});

const clusterRoleBindingKind: KindRef = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};
const apiGroup = 'rbac.authorization.k8s.io';
const mine = {
  kind: 'ServiceAccount',
  name: accounts.controller,
  namespace: systemNamespace,
};
const roleBinding = (namespace: string, more: object = {}) => ({
  metadata: { name: 'fairlead-tenant', namespace },
  roleRef: { apiGroup, kind: 'ClusterRole', name: 'fairlead-tenant' },
  subjects: [mine],
  ...more,
});
const container = {
  name: 'main',
  image: 'x',
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
};
const podSpec = (more: object = {}) => ({
  ...isolatedPod,
  serviceAccountName: 'fairlead-build',
  restartPolicy: 'Never',
  containers: [container],
  ...more,
});
const job = (namespace: string, more: object = {}) => ({
  metadata: { name: 'act', namespace },
  spec: { template: { spec: podSpec(more) } },
});

type Act = (client: StreamingClient) => Promise<unknown>;
const create =
  (kind: KindRef, object: () => object): Act =>
  (client) =>
    client.create(kind, object() as KubeObject);

const byPolicy = /ValidatingAdmissionPolicy/;
const byRbac = /cannot \w+ resource|may not|not allowed|attempting to grant/;

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
    'binds its role to somebody else': [
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
    'reads secrets of everybody': [(client) => client.list(secretKind), byRbac],
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

  it('[K02] makes what it is there for', async () => {
    await create(jobKind, () => job(tenant))(controller);
    const made = await admin.get<KubeObject>(jobKind, { namespace: tenant, name: 'act' });
    expect(made.metadata.name).toBe('act');
  });
});

describe('the API with its own token', () => {
  const forbidden: Record<string, [Act, RegExp]> = {
    'runs a Job of a tenant': [create(jobKind, () => job(tenant)), byRbac],
    'makes a Secret of a tenant': [
      create(secretKind, () => ({ metadata: { name: 'act', namespace: tenant } })),
      byRbac,
    ],
    'makes a namespace': [
      create(namespaceKind, () => ({ metadata: { name: 'fl-x-0123456789ab' } })),
      byRbac,
    ],
    'binds a role': [create(guardKinds.roleBinding, () => roleBinding(tenant)), byRbac],
    'writes ConfigMaps of the cluster': [
      create(configMapKind, () => ({ metadata: { name: 'act', namespace: 'kube-system' } })),
      byPolicy,
    ],
  };

  it.each(Object.entries(forbidden))('[K02] never %s', async (_name, [act, by]) => {
    const refused = await act(web).catch((thrown: unknown) => thrown);
    expect(hasReason(refused, 'forbidden', 'invalid'), String(refused)).toBe(true);
    expect(String(refused)).toMatch(by);
  });
});
