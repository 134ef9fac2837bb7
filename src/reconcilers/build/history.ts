// Limits the history of builds per outcome; never removes the deployed version or the one before it.
import type { Build } from '../../crds/build.ts';
import type { Provider } from '../../crds/provider.ts';
import { isFinished } from '../../domain/providers/build.ts';
import type { Informer, KubeClient } from '../../kube/api.ts';
import { annotation, kinds } from '../../store/kinds.ts';
import { read } from '../../store/put.ts';

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
    .filter(({ status }) => isFinished(status?.phase ?? 'pending'))
    .sort((left, right) => (left.spec.version < right.spec.version ? 1 : -1));
  if (surplusOf(ended).length === 0) return;
  // Not from the cache: a version that was chosen just now must keep its Build.
  const ref = { namespace, name: build.spec.provider };
  const used = versionsInUse(await read<Provider>(deps.client, kinds.provider, ref));
  for (const { metadata } of surplusOf(ended.filter(({ spec }) => !used.has(spec.version)))) {
    const { name, uid = '' } = metadata;
    // This also deletes its Job, its pod and its Secret.
    await deps.client.delete(kinds.build, { namespace, name }, { uid });
  }
}

/** @param ended the newest first */
function surplusOf(ended: readonly Build[]): readonly Build[] {
  return ['success', 'failed'].flatMap((phase) =>
    ended.filter(({ status }) => status?.phase === phase).slice(keptOfEachPhase),
  );
}

function versionsInUse(provider: Provider | undefined): ReadonlySet<string | undefined> {
  return new Set([
    provider?.spec.version,
    provider?.status?.deployedVersion,
    provider?.metadata.annotations?.[annotation.previousVersion],
  ]);
}
