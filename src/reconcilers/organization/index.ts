// Gives an Organization its namespace, what guards it, and its default project, and keeps them as they must be.
import type { PolicyRule, Reconciler } from '../../kube/api.ts';
import { settled } from '../../kube/api.ts';
import { type ActDeps, act } from './act.ts';
import { decide } from './decide.ts';
import { type ObserveDeps, observe } from './observe.ts';

/** `npm run generate` copies these into manifests and chart. */
export const rules = [
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
] satisfies readonly PolicyRule[];

export function createOrganizationReconciler(deps: ObserveDeps & ActDeps): Reconciler {
  return {
    name: 'organization',
    async reconcile(key) {
      const observed = await observe(key, deps);
      if (observed === undefined) return settled;
      return act(decide(observed), observed, deps);
    },
  };
}
