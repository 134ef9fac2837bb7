// The status of a resource whose passes fail repeatedly, and of one whose passes succeed again. Pure.
import { isStalledByFailures, Reason, stalledConditions } from '../../../crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';
import type { StoredState } from '../../../domain/lifecycle.ts';
import type { Stall } from '../../../kube/api.ts';
import { changed } from './status.ts';

/** Reasons that rules read: they stay while passes fail repeatedly. */
const kept: readonly string[] = [
  Reason.InProgress,
  Reason.RateLimited,
  Reason.SettingsRefused,
  Reason.DeleteFailed,
];

/** Passes fail repeatedly. @returns undefined when the status contains it already */
export function stalled(
  resource: Resource,
  { reason, message }: Pick<Stall, 'reason' | 'message'>,
  now: Date,
): ResourceStatus | undefined {
  const { metadata, status } = resource;
  const generation = metadata.generation ?? 0;
  const present = status ?? { state: 'pending', reason, observedGeneration: generation };
  const previous = status?.conditions ?? [];
  const wanted = stalledConditions({ reason, message }, { previous, generation, now });
  if (wanted === undefined) return undefined;
  const isSettled = present.state === 'ready' || present.state === 'failed';
  const stays = isSettled || kept.includes(present.reason);
  return { ...present, reason: stays ? present.reason : reason, conditions: wanted };
}

const goingOn: { readonly [state in StoredState]?: Reason } = {
  pending: Reason.Queued,
  processing: Reason.Processing,
  deleting: Reason.Deleting,
};

/** A pass succeeded after many failures, and had nothing to write. */
export function goesOn(resource: Resource, now: Date): ResourceStatus | undefined {
  const { status } = resource;
  if (status === undefined || !isStalledByFailures(status.conditions)) return undefined;
  const { state, event, error } = status;
  const failed = state === 'failed' || status.reason === Reason.DeleteFailed;
  const reads = state === 'ready' || failed || kept.includes(status.reason);
  const isReplacing = state === 'processing' && event?.replacement !== undefined;
  const next = isReplacing ? Reason.Replacing : (goingOn[state] ?? Reason.Queued);
  const reason = reads ? (status.reason as Reason) : next;
  const done =
    state === 'ready' ? `${event?.type ?? 'CREATE'} succeeded` : 'Reconciliation resumed';
  const message = failed ? (error ?? '') : done;
  return changed(resource, { state, reason, message, stalled: failed }, now);
}
