// Runs the version of a Provider and reports in its status whether its events have an endpoint.
import { type Reconciler, type ScopedRules, settled } from '../../kube/api.ts';
import { kinds } from '../../store/kinds.ts';
import { writeStalled } from '../stalled.ts';
import { type ActDeps, act, manifestOf } from './act.ts';
import { createAppliedBook } from './applied.ts';
import { decide } from './decide.ts';
import { type ObserveDeps, observe } from './observe.ts';

/** `npm run generate` generates roles from these. */
export const rules = {
  cluster: [
    {
      apiGroups: ['fairlead.dev'],
      resources: ['providers'],
      verbs: ['get', 'list', 'watch', 'patch'],
    },
    { apiGroups: ['fairlead.dev'], resources: ['providers/status'], verbs: ['update'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list', 'watch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] },
  ],
  tenant: [
    {
      apiGroups: ['apps'],
      resources: ['deployments'],
      verbs: ['create', 'patch', 'delete'],
    },
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
  ],
} satisfies ScopedRules;

export type DeploymentReconcilerDeps = Omit<ObserveDeps & ActDeps, 'applied'>;

export function createDeploymentReconciler(given: DeploymentReconcilerDeps): Reconciler {
  const applied = createAppliedBook(given.clock);
  const deps = { ...given, applied };
  return {
    name: 'deployment',
    async reconcile(key) {
      const observed = observe(key, deps);
      if (observed === undefined) {
        applied.forget(key);
        return settled;
      }
      const at = { manifest: manifestOf(observed, deps), now: deps.clock.now() };
      return await act(decide(observed, at), observed, deps);
    },
    stalled: (key, stall) =>
      writeStalled(key, stall, {
        ...deps,
        kind: kinds.provider,
        cache: deps.providers,
        statusOf: ({ status = {} }) => status,
      }),
  };
}
