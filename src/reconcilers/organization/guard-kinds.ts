// The kinds of guards of a tenant namespace, with the fields that Fairlead enforces.
import type { KindRef, KubeObject } from '../../kube/api.ts';

const namespaced = { version: 'v1', namespaced: true };

export const guardKinds = {
  roleBinding: {
    ...namespaced,
    group: 'rbac.authorization.k8s.io',
    kind: 'RoleBinding',
    plural: 'rolebindings',
  },
  networkPolicy: {
    ...namespaced,
    group: 'networking.k8s.io',
    kind: 'NetworkPolicy',
    plural: 'networkpolicies',
  },
  resourceQuota: { ...namespaced, group: '', kind: 'ResourceQuota', plural: 'resourcequotas' },
  limitRange: { ...namespaced, group: '', kind: 'LimitRange', plural: 'limitranges' },
  serviceAccount: { ...namespaced, group: '', kind: 'ServiceAccount', plural: 'serviceaccounts' },
} as const satisfies Record<string, KindRef>;
export type GuardKind = keyof typeof guardKinds;

/** A guard in the cluster; one or two kind-specific fields hold its content. */
export interface GuardObject extends KubeObject {
  readonly spec?: unknown;
  readonly subjects?: unknown;
  readonly roleRef?: unknown;
  readonly automountServiceAccountToken?: unknown;
}

/** A guard as required. */
export interface Guard {
  readonly of: GuardKind;
  readonly name: string;
  /** Exactly these values are enforced; other fields of the object are ignored. */
  readonly content: Readonly<Record<string, unknown>>;
}
