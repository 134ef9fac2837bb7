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

/** A guard as it is in the cluster; what it guards with is in one or two fields of its own. */
export interface GuardObject extends KubeObject {
  readonly spec?: unknown;
  readonly subjects?: unknown;
  readonly roleRef?: unknown;
  readonly automountServiceAccountToken?: unknown;
}

/** A guard as it must be. */
export interface Guard {
  readonly of: GuardKind;
  readonly name: string;
  /** Exactly these values; other fields of the object are nobody's business. */
  readonly content: Readonly<Record<string, unknown>>;
}
