// Moves one Build one step along pending → building → success | failed: a Job runs it, and its pod reports the result.

import type { Build } from '../../crds/build.ts';
import type { Provider } from '../../crds/provider.ts';
import { isBuildFinished } from '../../domain/providers/build.ts';
import {
  allow,
  type Informer,
  type KubeClient,
  keyFor,
  type Reconciler,
  type ScopedRules,
  settled,
} from '../../kube/api.ts';
import { kinds, label } from '../../store/kinds.ts';
import { read } from '../../store/put.ts';
import { writeStalled } from '../stalled.ts';
import { type ActDeps, act } from './act.ts';
import { decide } from './decide.ts';
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

type BuildReconcilerDeps = ObserveDeps & ActDeps & Parameters<typeof trimHistory>[1];

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
          isBuildFinished(status?.phase ?? 'pending') ? undefined : { phase: 'pending', ...status },
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

// Limits the history of builds per outcome; never removes the wanted version, the one that serves or the one that served before.

const keptOfEachPhase = 10;

interface HistoryDeps {
  readonly client: Pick<KubeClient, 'delete' | 'get'>;
  readonly builds: Pick<Informer<Build>, 'items'>;
}

/** Removes the oldest builds beyond the limit, for the provider of the given build. */
export async function trimHistory(build: Build, deps: HistoryDeps): Promise<void> {
  const { namespace = '' } = build.metadata;
  const ended = [...deps.builds.items(namespace)]
    .filter(({ spec }) => spec.provider === build.spec.provider)
    .filter(({ status }) => isBuildFinished(status?.phase ?? 'pending'))
    .sort((left, right) => (left.spec.version < right.spec.version ? 1 : -1));
  if (surplusBuilds(ended).length === 0) return;
  // Not from the cache: a version that was chosen just now must keep its Build.
  const ref = { namespace, name: build.spec.provider };
  const used = versionsInUse(await read<Provider>(deps.client, kinds.provider, ref));
  for (const { metadata } of surplusBuilds(ended.filter(({ spec }) => !used.has(spec.version)))) {
    const { name, uid = '' } = metadata;
    // This also deletes its Job, its pod and its Secret.
    await deps.client.delete(kinds.build, { namespace, name }, { uid });
  }
}

/** @param ended the newest first */
function surplusBuilds(ended: readonly Build[]): readonly Build[] {
  return ['success', 'failed'].flatMap((phase) =>
    ended.filter(({ status }) => status?.phase === phase).slice(keptOfEachPhase),
  );
}

function versionsInUse(provider: Provider | undefined): ReadonlySet<string | undefined> {
  return new Set([
    provider?.spec.version,
    provider?.status?.deployedVersion,
    provider?.status?.previousVersion,
  ]);
}
