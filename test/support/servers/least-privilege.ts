// Provides Fairlead's own service account on a control plane, with the rights of manifests/*.yaml only.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KindRef, KubeClient, KubeObject } from '../../../src/kube/api.ts';
import { createKubeClient } from '../../../src/kube/client.ts';
import { loadCluster } from '../../../src/kube/config.ts';
import {
  accounts,
  type Manifest,
  systemNamespace,
  systemNamespaceObject,
  systemRoles,
} from '../../../src/permissions/roles.ts';
import { settingsRules } from '../../../src/store/providers/settings.ts';
import { resourceEventRules } from '../../../src/store/resources/events.ts';
import { serviceAccountKind } from '../fixtures/service-account.ts';
import { eventually } from '../runner/eventually.ts';

export type Account = keyof typeof accounts;

const plurals: Readonly<Record<string, string>> = {
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
};
const clusterScoped = new Set([
  'Namespace',
  'ClusterRole',
  'ClusterRoleBinding',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

function kindOf({ apiVersion, kind }: Manifest): KindRef {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const plural = plurals[kind] ?? `${kind.toLowerCase()}s`;
  return { group, version, kind, plural, namespaced: !clusterScoped.has(kind) };
}

/** Applies in order, as `kubectl apply` does. */
export async function applyManifests(
  client: KubeClient,
  manifests: readonly Manifest[],
): Promise<void> {
  for (const manifest of manifests) {
    const object = manifest as unknown as KubeObject;
    await client.apply(kindOf(manifest), object, { fieldManager: 'administrator' });
  }
}

export interface Identities {
  /** Kubeconfigs of the installed accounts. */
  readonly api: string;
  readonly controller: string;
}

/**
 * Installs what an administrator would. The controller's account also gets the rights of the API if both run in one
 * process.
 */
export async function installIdentities(kubeconfig: string): Promise<Identities> {
  const client = createKubeClient(loadCluster({ kubeconfig }));
  try {
    for (const file of ['rbac.yaml', 'admission.yaml']) {
      const text = await readFile(join(import.meta.dirname, '../../../manifests', file), 'utf8');
      await applyManifests(
        client,
        parseAllDocuments(text).map((each) => each.toJS() as Manifest),
      );
    }
    await applyManifests(client, [
      binding('ClusterRoleBinding', 'fairlead-in-one-process'),
      rightsOfApi,
      binding('ClusterRoleBinding', rightsOfApi.metadata.name, { role: rightsOfApi.metadata.name }),
      ...systemRolesForOne(systemNamespace),
    ]);
    await eventually(() => admissionIsOn(kubeconfig, client), 15_000);
    const api = await kubeconfigOf(kubeconfig, client, 'api');
    return { api, controller: await kubeconfigOf(kubeconfig, client, 'controller') };
  } finally {
    await client.close();
  }
}

/** A system namespace under another name, in which the installed account has its usual rights. */
export async function systemNamespaceFor(kubeconfig: string, name: string): Promise<void> {
  const client = createKubeClient(loadCluster({ kubeconfig }));
  try {
    await applyManifests(client, [systemNamespaceObject(name), ...systemRolesForOne(name)]);
  } finally {
    await client.close();
  }
}

/** The same with only the rights of an installation: for two programs, each with its own account. */
export async function namespaceOfAnInstallation(kubeconfig: string, name: string): Promise<void> {
  const client = createKubeClient(loadCluster({ kubeconfig }));
  try {
    await applyManifests(client, [
      systemNamespaceObject(name),
      ...systemRoles(name, systemNamespace),
    ]);
  } finally {
    await client.close();
  }
}

function systemRolesForOne(namespace: string): readonly Manifest[] {
  return [
    ...systemRoles(namespace, systemNamespace),
    binding('RoleBinding', 'both', { namespace }),
  ];
}

/** Of the rights in namespaces of tenants, those that the controller does not have itself. */
const rightsOfApi = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'fairlead-in-one-process-tenants' },
  rules: [...resourceEventRules.tenant, ...settingsRules.tenant],
};

function binding(
  kind: string,
  name: string,
  { namespace, role = accounts.api }: { namespace?: string; role?: string } = {},
): Manifest {
  const roleRef = {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: kind === 'RoleBinding' ? 'Role' : 'ClusterRole',
    name: role,
  };
  // Bound to the group, so that the account's own rights stay those of an installation.
  const subject = {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'Group',
    name: `system:serviceaccounts:${systemNamespace}`,
  };
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name, ...(namespace && { namespace }) },
    roleRef,
    subjects: [subject],
  } as Manifest;
}

async function kubeconfigOf(
  kubeconfig: string,
  client: ReturnType<typeof createKubeClient>,
  account: Account,
): Promise<string> {
  const ref = { namespace: systemNamespace, name: accounts[account] };
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 86_400 },
  };
  const { status } = await client.createUnder<{ status: { token: string } }>(
    serviceAccountKind,
    ref,
    'token',
    body,
  );
  const config = JSON.parse(await readFile(kubeconfig, 'utf8')) as { users: { user: object }[] };
  for (const each of config.users) each.user = { token: status.token };
  const path = join(dirname(kubeconfig), `kubeconfig-${account}`);
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

const secretKind: KindRef = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};

/** The API server enforces policies a moment after they were written. */
async function admissionIsOn(
  kubeconfig: string,
  admin: ReturnType<typeof createKubeClient>,
): Promise<void> {
  // In its own namespace the controller's role permits any Secret: only the policy forbids it.
  const path = await kubeconfigOf(kubeconfig, admin, 'controller');
  const client = createKubeClient(loadCluster({ kubeconfig: path }));
  const ref = { namespace: systemNamespace, name: 'fairlead-admission-probe' };
  const probe = { apiVersion: 'v1', kind: 'Secret', metadata: ref };
  try {
    const refused = await client.create(secretKind, probe).then(
      () => '',
      (thrown: unknown) => String(thrown),
    );
    await admin.delete(secretKind, ref);
    if (!refused.includes('ValidatingAdmissionPolicy')) throw new Error(`not yet: ${refused}`);
  } finally {
    await client.close();
  }
}
