// Makes the version of a Provider run, and says in its status whether its events have somewhere to go.
import { type PolicyRule, type Reconciler, settled } from '../../kube/api.ts';
import { type ActDeps, act, manifestOf } from './act.ts';
import { decide } from './decide.ts';
import { type ObserveDeps, observe } from './observe.ts';

/** `npm run generate` copies these into manifests and chart. */
export const rules = [
  {
    apiGroups: ['fairlead.dev'],
    resources: ['providers'],
    verbs: ['get', 'list', 'watch', 'patch'],
  },
  { apiGroups: ['fairlead.dev'], resources: ['providers/status'], verbs: ['update'] },
  {
    apiGroups: ['apps'],
    resources: ['deployments'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
] satisfies readonly PolicyRule[];

export type DeploymentReconcilerDeps = ObserveDeps & ActDeps;

export function createDeploymentReconciler(deps: DeploymentReconcilerDeps): Reconciler {
  return {
    name: 'deployment',
    async reconcile(key) {
      const observed = observe(key, deps);
      if (observed === undefined) return settled;
      return await act(decide(observed, manifestOf(observed, deps)), observed, deps);
    },
  };
}
