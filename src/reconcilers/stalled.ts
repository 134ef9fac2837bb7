// Records repeated failures of passes in the status of a Build, Provider or Organization, against the version that was read.
// The status of the next successful pass replaces it.
import { type Condition, stalledConditions } from '../crds/conditions.ts';
import { apiVersion } from '../crds/define.ts';
import type { Informer, Key, KindRef, KubeClient, KubeObject, Stall } from '../kube/api.ts';
import type { Clock } from '../lib/clock.ts';

interface WithStatus extends KubeObject {
  readonly status?: { readonly conditions?: Condition[] | undefined } | undefined;
}

interface StalledDeps<T extends WithStatus> {
  readonly client: Pick<KubeClient, 'replaceStatus'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly kind: KindRef;
  readonly cache: Pick<Informer<T>, 'get' | 'remember'>;
  /** The status of an object that has none yet; undefined: nothing is recorded for this one any more. */
  readonly statusOf: (object: T) => object | undefined;
}

export async function writeStalled<T extends WithStatus>(
  key: Key,
  { reason, message }: Stall,
  { client, clock, kind, cache, statusOf }: StalledDeps<T>,
): Promise<void> {
  const object = cache.get(key);
  const status = object && statusOf(object);
  if (object === undefined || status === undefined) return;
  const { name, namespace, uid = '', resourceVersion = '', generation = 0 } = object.metadata;
  const previous = object.status?.conditions ?? [];
  const stamp = { previous, generation, now: clock.now() };
  const conditions = stalledConditions({ reason, message }, stamp);
  if (conditions === undefined) return;
  const place = namespace === undefined ? {} : { namespace };
  const written = await client.replaceStatus<T>(kind, {
    apiVersion,
    kind: kind.kind,
    metadata: { name, ...place, uid, resourceVersion },
    status: { ...status, conditions },
  });
  cache.remember(written);
}
