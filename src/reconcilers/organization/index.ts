// Creates the namespace, guards and default project of an Organization and keeps them in place.
import { allow, type Reconciler, type ScopedRules, settled } from '../../kube/api.ts';
import { kinds } from '../../store/kinds.ts';
import { writeStalled } from '../stalled.ts';
import { type ActDeps, act } from './act.ts';
import { decide } from './decide.ts';
import { tenantApiRole, tenantRole } from './guards.ts';
import { type ObserveDeps, observe } from './observe.ts';

/** `npm run generate` generates roles from these. */
export const rules = {
  cluster: [
    allow(['get', 'list', 'watch'], 'fairlead.dev', ['organizations']),
    allow(['update'], 'fairlead.dev', ['organizations/status']),
    allow(['get', 'list', 'watch', 'create'], 'fairlead.dev', ['projects']),
    allow(['get', 'list', 'watch', 'create', 'patch'], '', ['namespaces']),
    // The admission policy keeps both in namespaces of tenants; RBAC cannot limit `create` to names.
    allow(['list', 'watch', 'create'], 'rbac.authorization.k8s.io', ['rolebindings']),
    allow(
      ['get', 'update', 'delete'],
      'rbac.authorization.k8s.io',
      ['rolebindings'],
      [tenantRole, tenantApiRole],
    ),
    allow(['bind'], 'rbac.authorization.k8s.io', ['clusterroles'], [tenantRole, tenantApiRole]),
    allow(['list', 'watch'], 'networking.k8s.io', ['networkpolicies']),
    allow(['list', 'watch'], '', ['resourcequotas', 'limitranges', 'serviceaccounts']),
  ],
  tenant: [
    allow(['get', 'create', 'update'], 'networking.k8s.io', ['networkpolicies']),
    allow(['get', 'create', 'update'], '', ['resourcequotas', 'limitranges', 'serviceaccounts']),
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
