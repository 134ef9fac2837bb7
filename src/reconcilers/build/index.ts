// Moves one Build one step along pending → building → success | failed: a Job runs it, and its pod reports the result.
import { isFinished } from '../../domain/providers/build.ts';
import { allow, keyFor, type Reconciler, type ScopedRules, settled } from '../../kube/api.ts';
import { kinds, label } from '../../store/kinds.ts';
import { writeStalled } from '../stalled.ts';
import { type ActDeps, act } from './act.ts';
import { decide } from './decide.ts';
import { trimHistory } from './history.ts';
import { type ObserveDeps, observe } from './observe.ts';

/** `npm run generate` generates roles from these. */
export const rules = {
  // Cluster-wide rules for its own kinds: in a terminating namespace, the role may be deleted before the last of them.
  cluster: [
    allow(['get', 'list', 'watch', 'delete'], 'fairlead.dev', ['builds']),
    allow(['update'], 'fairlead.dev', ['builds/status']),
    allow(['list', 'watch'], 'batch', ['jobs']),
    allow(['list', 'watch'], '', ['pods']),
  ],
  tenant: [
    allow(['get', 'create'], 'batch', ['jobs']),
    allow(['get'], '', ['pods', 'pods/log']),
    allow(['create'], '', ['secrets']),
    allow(['list'], '', ['events']),
  ],
} satisfies ScopedRules;

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
    stalled: (key, stall) =>
      writeStalled(key, stall, {
        ...deps,
        kind: kinds.build,
        cache: deps.builds,
        statusOf: ({ status }) =>
          isFinished(status?.phase ?? 'pending') ? undefined : { phase: 'pending', ...status },
      }),
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
