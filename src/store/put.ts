// One optimistic write. A lost race and an unknown outcome need the same reaction: read again, decide again.
import type { KindRef, KubeClient, KubeObject, ObjectRef } from '../kube/api.ts';
import { hasReason, isUnknown, type KubeError, mustLookAgain } from '../kube/errors.ts';
import type { Clock } from '../lib/clock.ts';

/** The store writes objects, and dates what it writes. */
export interface StoreDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
}

/** A race is lost at most once per competing writer; eight in a row mean a writer that never stops. */
export const maxRounds = 8;

/**
 * Creates the object, or replaces the version in its `metadata.resourceVersion`.
 * @param onUnknown receives the error of a write that may have happened
 * @returns undefined when the decision must be made again on a fresh read
 */
export async function put<T extends KubeObject>(
  client: KubeClient,
  kind: KindRef,
  object: T,
  onUnknown: (error: KubeError) => void = () => undefined,
): Promise<T | undefined> {
  try {
    return object.metadata.resourceVersion === undefined
      ? await client.create<T>(kind, object)
      : await client.replace<T>(kind, object);
  } catch (thrown) {
    if (isUnknown(thrown)) onUnknown(thrown);
    if (mustLookAgain(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Writes annotations into exactly the version that was read; null removes one.
 * @returns the written object; undefined when the decision must be made again on a fresh read
 */
export async function annotate<T extends KubeObject>(
  client: Pick<KubeClient, 'patch'>,
  kind: KindRef,
  { metadata }: T,
  annotations: Readonly<Record<string, string | null>>,
): Promise<T | undefined> {
  const { name, namespace, uid, resourceVersion } = metadata;
  try {
    const patch = { metadata: { uid, resourceVersion, annotations } };
    return await client.patch<T>(kind, { name, namespace }, patch);
  } catch (thrown) {
    if (mustLookAgain(thrown)) return undefined;
    throw thrown;
  }
}

/** @returns the object, or undefined when there is none */
export async function read<T extends KubeObject>(
  client: Pick<KubeClient, 'get'>,
  kind: KindRef,
  ref: ObjectRef,
): Promise<T | undefined> {
  try {
    return await client.get<T>(kind, ref);
  } catch (thrown) {
    if (hasReason(thrown, 'notFound')) return undefined;
    throw thrown;
  }
}
