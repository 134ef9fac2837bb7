// The state of a dead letter, from its resource, in more detail than readers see: an event under way is neither resent nor removed.
// Caches may lag, so a removal asks the API server first.
import type { Resource } from '../../crds/resource.ts';
import type { KubeClient } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { configMapKind, kinds } from '../kinds.ts';
import { read } from '../put.ts';
import { hasFailed, isDeletionEvent, requeueAsked } from '../resources/state.ts';
import { isSuperseded, type StoredDeadLetter } from './object.ts';

/** `underWay`: the event runs, is about to run again, or its failure is being recorded; its outcome decides. */
export type DeadLetterState = 'live' | 'underWay' | 'superseded';

type LetterId = Pick<StoredDeadLetter, 'eventId'>;

export function deadLetterState(
  deadLetter: LetterId,
  resource: Resource | undefined,
): DeadLetterState {
  if (resource !== undefined && isUnderWay(deadLetter, resource)) return 'underWay';
  return isSuperseded(deadLetter, resource) ? 'superseded' : 'live';
}

/** Dead letters are written before the status `failed`: until then their resource is still processing. */
function isUnderWay(deadLetter: LetterId, resource: Resource): boolean {
  const { metadata, status } = resource;
  if (status?.event?.id !== deadLetter.eventId) return false;
  const isDeletion = isDeletionEvent(status.event);
  if (metadata.deletionTimestamp !== undefined && !isDeletion) return false;
  if (requeueAsked(resource) !== undefined) return true;
  return !hasFailed(resource) && (status.state === 'processing' || isDeletion);
}

/** Removes a dead letter if the API server agrees that it is superseded. @returns whether it does. @throws KubeError */
export async function removeSuperseded(
  client: Pick<KubeClient, 'get' | 'delete'>,
  deadLetter: StoredDeadLetter,
): Promise<boolean> {
  if (deadLetterState(deadLetter, await freshResource(client, deadLetter)) !== 'superseded')
    return false;
  const ref = { namespace: deadLetter.resource.namespace, name: deadLetter.eventId };
  try {
    await client.delete(configMapKind, ref, { uid: deadLetter.uid });
  } catch (thrown) {
    // A new dead letter with other content has the name.
    if (!hasReason(thrown, 'conflict')) throw thrown;
  }
  return true;
}

export function freshResource(
  client: Pick<KubeClient, 'get'>,
  { resource: { name, namespace } }: Pick<StoredDeadLetter, 'resource'>,
): Promise<Resource | undefined> {
  return read<Resource>(client, kinds.resource, { namespace, name });
}
