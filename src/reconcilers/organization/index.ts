// Creates the namespace, guards and default project of an Organization and keeps them in place.
import type { Reconciler, ScopedRules } from '../../kube/api.ts';
import { settled } from '../../kube/api.ts';
import { kinds } from '../../store/kinds.ts';
import { writeStalled } from '../stalled.ts';
import { type ActDeps, act } from './act.ts';
import { decide } from './decide.ts';
import { tenantApiRole, tenantRole } from './guards.ts';
import { type ObserveDeps, observe } from './observe.ts';

/** `npm run generate` generates roles from these. */
export const rules = {
  cluster: [
    { apiGroups: ['fairlead.dev'], resources: ['organizations'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['fairlead.dev'], resources: ['organizations/status'], verbs: ['update'] },
    {
      apiGroups: ['fairlead.dev'],
      resources: ['projects'],
      verbs: ['get', 'list', 'watch', 'create'],
    },
    {
      apiGroups: [''],
      resources: ['namespaces'],
      verbs: ['get', 'list', 'watch', 'create', 'patch'],
    },
    // The admission policy keeps both in namespaces of tenants; RBAC cannot limit `create` to names.
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['rolebindings'],
      verbs: ['list', 'watch', 'create'],
    },
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['rolebindings'],
      resourceNames: [tenantRole, tenantApiRole],
      verbs: ['get', 'update', 'delete'],
    },
    {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
      resourceNames: [tenantRole, tenantApiRole],
      verbs: ['bind'],
    },
    {
      apiGroups: ['networking.k8s.io'],
      resources: ['networkpolicies'],
      verbs: ['list', 'watch'],
    },
    {
      apiGroups: [''],
      resources: ['resourcequotas', 'limitranges', 'serviceaccounts'],
      verbs: ['list', 'watch'],
    },
  ],
  tenant: [
    {
      apiGroups: ['networking.k8s.io'],
      resources: ['networkpolicies'],
      verbs: ['get', 'create', 'update'],
    },
    {
      apiGroups: [''],
      resources: ['resourcequotas', 'limitranges', 'serviceaccounts'],
      verbs: ['get', 'create', 'update'],
    },
  ],
} satisfies ScopedRules;

export function createOrganizationReconciler(deps: ObserveDeps & ActDeps): Reconciler {
  return {
    name: 'organization',
    async reconcile(key) {
      const observed = await observe(key, deps);
      if (observed === undefined) return settled;
      return act(decide(observed), observed, deps);
    },
    stalled: (key, stall) =>
      writeStalled(key, stall, {
        ...deps,
        kind: kinds.organization,
        cache: deps.organizations,
        statusOf: ({ status = {} }) => status,
      }),
  };
}
