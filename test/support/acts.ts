// Lists what Fairlead's accounts try to create in tests of its rights.
import type { KindRef, KubeObject } from '../../src/kube/api.ts';
import type { StreamingClient } from '../../src/kube/client.ts';
import { accounts, systemNamespace } from '../../src/permissions/roles.ts';
import { isolatedPod } from '../../src/providers/workloads/pod.ts';
import { guardKinds } from '../../src/reconcilers/organization/guard-kinds.ts';
import { secretKind } from '../../src/store/kinds.ts';

export const clusterRoleBindingKind: KindRef = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};
export const roleKind: KindRef = { ...guardKinds.roleBinding, kind: 'Role', plural: 'roles' };
export const apiGroup = 'rbac.authorization.k8s.io';
export const mine = {
  kind: 'ServiceAccount',
  name: accounts.controller,
  namespace: systemNamespace,
};
export const roleBinding = (namespace: string, more: object = {}) => ({
  metadata: { name: 'fairlead-tenant', namespace },
  roleRef: { apiGroup, kind: 'ClusterRole', name: 'fairlead-tenant' },
  subjects: [mine],
  ...more,
});
export const container = {
  name: 'main',
  image: 'x',
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
};
export const podSpec = (more: object = {}) => ({
  ...isolatedPod,
  serviceAccountName: 'fairlead-build',
  restartPolicy: 'Never',
  containers: [container],
  ...more,
});
export const job = (namespace: string, more: object = {}) => ({
  metadata: { name: 'act', namespace },
  spec: { template: { spec: podSpec(more) } },
});

export const secret = (namespace: string, more: object = {}, metadata: object = {}) => ({
  metadata: { name: 'act', namespace, ...metadata },
  type: 'Opaque',
  ...more,
});
export const ownerOf = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion: 'fairlead.dev/v1alpha1', kind, name, uid: 'u' }],
});
export const accountToken = {
  type: 'kubernetes.io/service-account-token',
  metadata: {
    name: 'fairlead-event-key',
    namespace: systemNamespace,
    annotations: { 'kubernetes.io/service-account.name': accounts.controller },
  },
};

/** The act of reading a Secret in Fairlead's own namespace. */
export const reads =
  (name: string): Act =>
  (client) =>
    client.get(secretKind, { namespace: systemNamespace, name });

export const tenantToken = {
  type: accountToken.type,
  metadata: {
    annotations: { 'kubernetes.io/service-account.name': 'fairlead-build' },
    ...ownerOf('Build', 'act'),
  },
};

export type Act = (client: StreamingClient) => Promise<unknown>;
export const create =
  (kind: KindRef, object: () => object): Act =>
  (client) =>
    client.create(kind, object() as KubeObject);

export const byPolicy = /ValidatingAdmissionPolicy/;
export const byRbac = /cannot \w+ resource|may not|not allowed|attempting to grant/;
