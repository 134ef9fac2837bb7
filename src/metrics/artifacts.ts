// Measures an artifact store: the duration and result of its operations. Reading an opened artifact is not measured.
import type { ArtifactStore, StagedArtifact } from '../domain/providers/artifact.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from './registry.ts';

/** Upper bounds in seconds. */
const buckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60];

type ArtifactOperation =
  | 'receive'
  | 'commit'
  | 'open'
  | 'look'
  | 'link'
  | 'delete'
  | 'claim'
  | 'collect';

/** @returns the same store, measured; call it once */
export function measuredArtifacts(
  metrics: Metrics,
  clock: Clock,
  store: ArtifactStore,
): ArtifactStore {
  const time = metrics.histogram({
    name: 'fairlead_artifact_duration_seconds',
    help: 'Duration of artifact store operations by ending; receive includes waiting for the sender, open excludes reading the bytes.',
    labels: ['operation', 'ending'],
    buckets,
  });

  async function timed<T>(operation: ArtifactOperation, work: () => Promise<T>): Promise<T> {
    const began = clock.monotonic();
    let ending = 'failed';
    try {
      const result = await work();
      ending = 'done';
      return result;
    } finally {
      time({ operation, ending }, (clock.monotonic() - began) / 1_000);
    }
  }

  function staged(artifact: StagedArtifact): StagedArtifact {
    const { digest, size, path } = artifact;
    return {
      digest,
      size,
      path,
      commit: () => timed('commit', () => artifact.commit()),
      discard: () => artifact.discard(),
    };
  }

  return {
    put: async (source, options) =>
      staged(await timed('receive', () => store.put(source, options))),
    open: (digest) => timed('open', () => store.open(digest)),
    has: (digest) => timed('look', () => store.has(digest)),
    link: (digest, namespace) => timed('link', () => store.link(digest, namespace)),
    isLinked: (digest, namespace) => timed('look', () => store.isLinked(digest, namespace)),
    delete: (digest) => timed('delete', () => store.delete(digest)),
    claim: (installation) => timed('claim', () => store.claim(installation)),
    collect: (request, signal) => timed('collect', () => store.collect(request, signal)),
  };
}
