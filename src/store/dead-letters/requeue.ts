// Restarts the event of one dead letter: marks its Resource first, then deletes the dead letter. A crash between the two
// leaves a superseded dead letter and a running event.
import { setTimeout as pause } from 'node:timers/promises';
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { KubeClient } from '../../kube/api.ts';
import { hasReason, isUnknown } from '../../kube/errors.ts';
import { annotation, configMapKind, kinds } from '../kinds.ts';
import { annotate, maxRounds, read } from '../put.ts';
import { requeueAsked, requeueMark } from '../resources/state.ts';
import type { StoredDeadLetter } from './object.ts';
import { deadLetterState } from './state.ts';

/** `superseded`: nothing was written. `gone`: a concurrent call retried or deleted the dead letter. */
type Requeued = 'requeued' | 'superseded' | 'gone';

const statusLagMs = 250;

export async function requeue(client: KubeClient, deadLetter: StoredDeadLetter): Promise<Requeued> {
  return (await markRequeue(client, deadLetter))
    ? await takeAway(client, deadLetter)
    : 'superseded';
}

/** @returns whether the Resource is marked now, by this call or by another one that has not deleted the dead letter yet */
async function markRequeue(client: KubeClient, deadLetter: StoredDeadLetter): Promise<boolean> {
  const { name, namespace } = deadLetter.resource;
  for (let round = 0; round < maxRounds; round += 1) {
    const resource = await read<Resource>(client, kinds.resource, { name, namespace });
    if (resource !== undefined && isAsked(deadLetter, resource)) return true;
    if (resource === undefined) return false;
    const state = deadLetterState(deadLetter, resource);
    if (state === 'superseded') return false;
    // The dead letter is written first; the status `failed` follows a moment later.
    if (state === 'underWay') await pause(statusLagMs);
    else if (await annotateRequeue(client, resource)) return true;
  }
  const message = 'Another client changes the resource at the same time; try again';
  throw new FairleadError('conflict', message);
}

function isAsked(deadLetter: StoredDeadLetter, resource: Resource): boolean {
  return resource.status?.event?.id === deadLetter.eventId && requeueAsked(resource) !== undefined;
}

async function annotateRequeue(client: KubeClient, resource: Resource): Promise<boolean> {
  const value = requeueMark(resource) ?? null;
  const annotations = { [annotation.requeue]: value };
  return (await annotate(client, kinds.resource, resource, annotations)) !== undefined;
}

async function takeAway(
  client: KubeClient,
  { eventId, uid, resource: { namespace } }: StoredDeadLetter,
): Promise<Requeued> {
  const ref = { namespace, name: eventId };
  let unsure = false;
  for (let round = 0; round < maxRounds; round += 1) {
    try {
      const existed = await client.delete(configMapKind, ref, { uid });
      return existed || unsure ? 'requeued' : 'gone';
    } catch (thrown) {
      // A new dead letter has the name: the event ran and failed again meanwhile.
      if (hasReason(thrown, 'conflict')) return 'requeued';
      if (!isUnknown(thrown)) throw thrown;
      unsure = true;
    }
  }
  // The event runs again; its dead letter counts as superseded.
  return 'requeued';
}
