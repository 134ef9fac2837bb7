// Limits the history of builds per outcome; never removes the deployed version or the one before it.
import type { Build } from '../../crds/build.ts';
import type { Provider } from '../../crds/provider.ts';
import { isFinished } from '../../domain/build.ts';
import { type Informer, type KubeClient, keyFor } from '../../kube/api.ts';
import { annotation, kinds } from '../../store/kinds.ts';

const keptOfEachPhase = 10;

interface HistoryDeps {
  readonly client: Pick<KubeClient, 'delete'>;
  readonly builds: Pick<Informer<Build>, 'items'>;
  readonly providers: Pick<Informer<Provider>, 'get'>;
}

/** Removes the oldest builds beyond the limit, for the provider of the given build. */
export async function trimHistory(build: Build, deps: HistoryDeps): Promise<void> {
  const { namespace = '' } = build.metadata;
  const used = versionsInUse(deps.providers.get(keyFor({ namespace, name: build.spec.provider })));
  const ended = [...deps.builds.items(namespace)]
    .filter(({ spec }) => spec.provider === build.spec.provider && !used.has(spec.version))
    .filter(({ status }) => isFinished(status?.phase ?? 'pending'))
    .sort((left, right) => (left.spec.version < right.spec.version ? 1 : -1));
  for (const phase of ['success', 'failed']) {
    const surplus = ended.filter(({ status }) => status?.phase === phase).slice(keptOfEachPhase);
    for (const { metadata } of surplus) {
      const { name, uid = '' } = metadata;
      // This also deletes its Job, its pod and its Secret.
      await deps.client.delete(kinds.build, { namespace, name }, { uid });
    }
  }
}

function versionsInUse(provider: Provider | undefined): ReadonlySet<string | undefined> {
  return new Set([
    provider?.spec.version,
    provider?.status?.deployedVersion,
    provider?.metadata.annotations?.[annotation.previousVersion],
  ]);
}
