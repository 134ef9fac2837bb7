// Dismisses a failure: the deletion of the dead letter of a failed resource is recorded on the resource before the dead
// letter is deleted. After a crash between the two writes the dead letter can still be deleted or retried.
import { setTimeout as pause } from 'node:timers/promises';
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { KubeClient } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { annotation, configMapKind, kinds } from '../kinds.ts';
import { annotate, maxRounds } from '../put.ts';
import { failedEventId, isDismissed, requeueAsked } from '../resources/state.ts';
import type { StoredDeadLetter } from './object.ts';
import { deadLetterState, freshResource } from './state.ts';

const statusLagMs = 250;
const maxLags = 4;

/** Without its content: there may be thousands. */
export type NamedDeadLetter = Pick<StoredDeadLetter, 'eventId' | 'uid' | 'resource'>;

/** @returns whether it existed; a newer dead letter of the same event stays */
export async function dismissAndTake(
  client: KubeClient,
  deadLetter: NamedDeadLetter,
): Promise<boolean> {
  await dismiss(client, deadLetter);
  const { eventId, uid, resource } = deadLetter;
  const ref = { namespace: resource.namespace, name: eventId };
  try {
    return await client.delete(configMapKind, ref, { uid });
  } catch (thrown) {
    if (hasReason(thrown, 'conflict')) return false;
    throw thrown;
  }
}

/** @throws FairleadError `conflict` when the resource keeps changing */
async function dismiss(client: KubeClient, deadLetter: NamedDeadLetter): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const resource = await settledResource(client, deadLetter);
    if (resource === undefined || deadLetterState(deadLetter, resource) !== 'live') return;
    if (isDismissed(resource)) return;
    const mark = { [annotation.dismissed]: failedEventId(resource) ?? null };
    if ((await annotate(client, kinds.resource, resource, mark)) !== undefined) return;
  }
  const message = 'Another client changes the resource at the same time; try again';
  throw new FairleadError('conflict', message);
}

/** The dead letter is written first: the status `failed` follows a moment later. Does not wait for an event that runs again. */
async function settledResource(
  client: KubeClient,
  deadLetter: NamedDeadLetter,
): Promise<Resource | undefined> {
  for (let lags = 0; ; lags += 1) {
    const resource = await freshResource(client, deadLetter);
    const isBehind = deadLetterState(deadLetter, resource) === 'underWay' && !isRequeued(resource);
    if (!isBehind || lags === maxLags) return resource;
    await pause(statusLagMs);
  }
}

function isRequeued(resource: Resource | undefined): boolean {
  return resource !== undefined && requeueAsked(resource) !== undefined;
}
