// Finds the digests that objects refer to. It reads more than it needs to: every digest anywhere in a pod counts, so that a
// new field is never forgotten.
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Build } from '../../crds/build.ts';
import { type Digest, isDigest } from '../../domain/providers/artifact.ts';
import type { Informer, KubeObject } from '../../kube/api.ts';

type ReferenceCache<T extends KubeObject> = Pick<
  Informer<T>,
  'kind' | 'items' | 'synced' | 'interrupted' | 'silentMs'
>;

export interface ReferenceCaches {
  readonly builds: ReferenceCache<Build>;
  /** Only Fairlead's own, of the whole cluster, like the next two. */
  readonly pods: ReferenceCache<KubeObject>;
  readonly jobs: ReferenceCache<KubeObject>;
  readonly deployments: ReferenceCache<KubeObject>;
}

/** The API server sends a bookmark every minute. */
const silentLimitMs = 5 * 60_000;
const objectsAtATime = 500;

/** @returns the kind of a cache that may lack objects */
export function incompleteKind(caches: ReferenceCaches): string | undefined {
  const { builds, pods, jobs, deployments } = caches;
  const all: readonly Omit<ReferenceCache<KubeObject>, 'items'>[] = [
    builds,
    pods,
    jobs,
    deployments,
  ];
  const lacking = all.find(
    ({ synced, interrupted, silentMs }) => !synced || interrupted || silentMs > silentLimitMs,
  );
  return lacking?.kind.kind;
}

export async function referencesIn(caches: ReferenceCaches): Promise<ReadonlySet<Digest>> {
  const { builds, pods, jobs, deployments } = caches;
  const found = new Set<Digest>();
  let read = 0;
  for (const cache of [builds, pods, jobs, deployments]) {
    for (const object of cache.items()) {
      for (const digest of digestsIn(withoutSchemas(object))) found.add(digest);
      read += 1;
      if (read % objectsAtATime === 0) await othersTurn();
    }
  }
  return found;
}

/** Schemas are large, and hold no digest of code. */
function withoutSchemas(object: Build | KubeObject): unknown {
  if (!('status' in object) || object.kind !== 'Build') return object;
  const { types: _types, settings: _settings, ...status } = (object as Build).status ?? {};
  return { ...object, status };
}

function digestsIn(value: unknown): readonly Digest[] {
  const found: readonly string[] = JSON.stringify(value).match(/sha256:[0-9a-f]{64}/g) ?? [];
  return found.filter(isDigest);
}
