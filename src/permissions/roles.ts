// Builds the RBAC objects of Fairlead's service accounts, for one namespace of its own. Pure.
import type { PolicyRule } from '../kube/api.ts';
import { tenantApiRole, tenantRole } from '../reconcilers/organization/guards.ts';
import {
  apiRules,
  apiSystemRules,
  clusterEventRules,
  controllerRules,
  controllerSystemRules,
  evaluationRules,
  tenantApiRules,
  tenantRules,
} from './rules.ts';

export const systemNamespace = 'fairlead-system';
export const accounts = { api: 'fairlead-api', controller: 'fairlead-controller' } as const;

/** On Fairlead's namespace; the policies match the label, so that the name may differ. */
export const systemLabel = 'fairlead.dev/system';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';
const labels = { 'app.kubernetes.io/name': 'fairlead', 'app.kubernetes.io/part-of': 'fairlead' };

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

export function rbacManifests(namespace = systemNamespace): readonly Manifest[] {
  return [
    systemNamespaceObject(namespace),
    ...Object.values(accounts).map((name) => serviceAccount(name, namespace)),
    clusterRole(accounts.api, apiRules),
    clusterRole(accounts.controller, controllerRules),
    clusterRole(tenantRole, tenantRules),
    clusterRole(tenantApiRole, tenantApiRules),
    ...Object.values(accounts).map((name) => clusterRoleBinding(name, namespace)),
    ...systemRoles(namespace),
    ...clusterEventRoles(namespace),
  ];
}

/** @param holder the namespace of the accounts, when it differs from the namespace of their rights */
export function systemRoles(namespace: string, holder = namespace): readonly Manifest[] {
  return [
    role(accounts.api, namespace, apiSystemRules),
    role(accounts.controller, namespace, controllerSystemRules),
    ...Object.values(accounts).map((name) => roleBinding(name, namespace, { holder })),
  ];
}

/** For evaluation mode: the API keeps the key of its own issuer. */
export function evaluationManifests(namespace = systemNamespace): readonly Manifest[] {
  const name = 'fairlead-evaluation';
  return [
    role(name, namespace, evaluationRules),
    roleBinding(accounts.api, namespace, { role: name }),
  ];
}

/** The API server accepts events about cluster-scoped objects only in `default`. */
function clusterEventRoles(namespace: string): readonly Manifest[] {
  const name = 'fairlead-organization-events';
  return [
    role(name, 'default', clusterEventRules),
    roleBinding(accounts.controller, 'default', { role: name, holder: namespace }),
  ];
}

export function systemNamespaceObject(name: string) {
  const security = Object.fromEntries(
    ['enforce', 'audit', 'warn'].map((mode) => [
      `pod-security.kubernetes.io/${mode}`,
      'restricted',
    ]),
  );
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { ...labels, [systemLabel]: 'true', ...security } },
  };
}

function serviceAccount(name: string, namespace: string) {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels } };
}

function clusterRole(name: string, rules: readonly PolicyRule[]) {
  return { apiVersion, kind: 'ClusterRole', metadata: { name, labels }, rules };
}

function role(name: string, namespace: string, rules: readonly PolicyRule[]) {
  return { apiVersion, kind: 'Role', metadata: { name, namespace, labels }, rules };
}

function clusterRoleBinding(name: string, namespace: string) {
  return {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels },
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  };
}

interface BoundRole {
  readonly role?: string;
  /** The namespace of the account, if it differs from that of its rights. */
  readonly holder?: string;
}

function roleBinding(
  account: string,
  namespace: string,
  { role: name = account, holder = namespace }: BoundRole,
) {
  return {
    apiVersion,
    kind: 'RoleBinding',
    metadata: { name, namespace, labels },
    roleRef: { apiGroup, kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name: account, namespace: holder }],
  };
}
