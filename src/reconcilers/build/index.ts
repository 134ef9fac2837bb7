// Moves one Build one step along pending → building → success | failed: a Job runs it, its pod says what came of it.
import { keyFor, type PolicyRule, type Reconciler, settled } from '../../kube/api.ts';
import { label } from '../../store/kinds.ts';
import { type ActDeps, act } from './act.ts';
import { decide } from './decide.ts';
import { trimHistory } from './history.ts';
import { type ObserveDeps, observe } from './observe.ts';

/** `npm run generate` copies these into manifests and chart. */
export const rules = [
  {
    apiGroups: ['fairlead.dev'],
    resources: ['builds'],
    verbs: ['get', 'list', 'watch', 'delete'],
  },
  { apiGroups: ['fairlead.dev'], resources: ['builds/status'], verbs: ['update'] },
  { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'list', 'watch', 'create'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
] satisfies readonly PolicyRule[];

export type BuildReconcilerDeps = ObserveDeps & ActDeps & Parameters<typeof trimHistory>[1];

export function createBuildReconciler(deps: BuildReconcilerDeps): Reconciler {
  return {
    name: 'build',
    async reconcile(key) {
      const observed = await observe(key, deps);
      if (observed === undefined) return settled;
      const outcome = await act(decide(observed, deps.settings), observed, deps);
      await trimHistory(observed.build, deps);
      return outcome;
    },
  };
}

/** @returns the build that a Job or pod belongs to */
export function buildKeyOf(metadata: {
  namespace?: string;
  labels?: Record<string, string>;
}): readonly string[] {
  const name = metadata.labels?.[label.build];
  if (name === undefined) return [];
  const { namespace } = metadata;
  return [keyFor({ name, namespace })];
}
