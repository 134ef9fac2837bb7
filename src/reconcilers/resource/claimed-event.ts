// Rules about the event that a Resource has claimed. Pure; creation and deletion share them.

import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import { findCondition, Reason } from '../../crds/conditions.ts';
import type { Resource } from '../../crds/resource.ts';
import { type EventType, eventId } from '../../domain/event.ts';
import type { FailureCode } from '../../domain/failures/failure-codes.ts';
import { durationText } from '../../lib/duration.ts';
import { firstNames } from '../../lib/text.ts';
import { claimedVersion } from './config-version.ts';
import type { Decision, Failure, Situation } from './situation.ts';
import { isCancelling } from './status/event-status.ts';

/** Only when 202, or a requested wait, was the last answer: after an outage the provider is polled once more. */
export function giveUpEndlessOperation(situation: Situation): Decision | undefined {
  const { resource, resolution, waits } = situation;
  const { event } = resource.status ?? {};
  if (event === undefined || waits.operationMs > 0) return undefined;
  const failure = unfinished(situation);
  return failure && { do: 'fail', event, failure, references: resolution.hash };
}

function unfinished({ resource: { status }, policy }: Situation): Failure | undefined {
  const reason = Reason.OperationTimedOut;
  if (status?.reason === Reason.InProgress && status.event?.acceptedAt !== undefined) {
    const code = 'OPERATION_TIMED_OUT' satisfies FailureCode;
    return {
      code,
      message: 'The provider did not finish the operation within the time limit',
      reason,
    };
  }
  if (status?.reason !== Reason.RateLimited) return undefined;
  const code = 'WAIT_TIMED_OUT' satisfies FailureCode;
  const limit = durationText(policy.operationLimitMs / 1_000);
  const said = findCondition(status.conditions, 'Ready')?.message ?? '';
  const message = `The provider asked to wait longer than the limit of ${limit}. ${said}`;
  return { code, message, reason };
}

/** An operation fails at its limit, also when its next poll is later. */
export function waitOutTheBackoff({ resource, waits, now }: Situation): Decision | undefined {
  if (waits.deliveryMs === 0) return undefined;
  const { reason } = resource.status ?? {};
  const mayEnd = reason === Reason.InProgress || reason === Reason.RateLimited;
  const ms = mayEnd ? Math.min(waits.deliveryMs, waits.operationMs) : waits.deliveryMs;
  return { do: 'wait', until: new Date(now.getTime() + ms) };
}

export function sendTheClaimedEvent({ resource, endpoint }: Situation): Decision | undefined {
  const event = resource.status?.event;
  if (event === undefined || endpoint === undefined) return undefined;
  return { do: 'send', event, endpoint };
}

export function waitForProvider({ resource, endpoint }: Situation): Decision | undefined {
  if (endpoint !== undefined) return undefined;
  const message = `Waiting for provider ${resource.spec.provider} to become ready`;
  return { do: 'explain', reason: Reason.WaitingForProvider, message };
}

export function requeued(
  {
    nextAttemptAt: _due,
    begunAt: _begun,
    acceptedAt: _accepted,
    errors: _errors,
    skewedAt: _skewed,
    progress: _progress,
    hold: _hold,
    context,
    ...event
  }: ClaimedEvent,
  { resource, requeue, now }: Situation,
): Decision | undefined {
  if (requeue === undefined) return undefined;
  const startedAt = now.toISOString();
  const sequence = sequenceAfter(resource);
  const again = { ...event, attempt: 1, sequence, startedAt, requeued: requeue };
  // The context of the operation before a deletion or an import stays the same; an operation of its own starts anew.
  const isOfBefore = event.type === 'DELETE' || event.type === 'OBSERVE';
  return { do: 'claim', event: isOfBefore ? withContext(again, context) : again };
}

/**
 * A provider rejects a late delivery by this number, so it only grows: within a resource, and from a deleted one to the next
 * of its name, since the resourceVersion of an object is above those of every earlier object of its kind.
 * @returns the number of the next delivery of a resource
 */
export function sequenceAfter({ metadata, status }: Pick<Resource, 'metadata' | 'status'>): number {
  const version = Number(metadata.resourceVersion ?? 0);
  const next = (status?.event?.sequence ?? 0) + 1;
  return Number.isSafeInteger(version) ? Math.max(next, version) : next;
}

/** A deletion gets the context of an unfinished operation: nothing else identifies the object being created. */
export function newDeletion(situation: Situation): ClaimedEvent {
  return withContext(newEvent(situation, 'DELETE'), contextLeft(situation));
}

/** @returns the context of an operation that has not succeeded or failed, with the context of its last answer */
export function contextLeft({ resource, unrecorded }: Situation): ClaimedEvent['context'] {
  const answer = unrecorded?.answer;
  const before = resource.status?.event?.context;
  const latest = answer?.kind === 'later' ? (answer.context as ClaimedEvent['context']) : undefined;
  if (isCancelling(resource)) return latest ?? before;
  if (answer?.kind === 'later') return latest;
  const ended = answer?.kind === 'failed' && answer.terminal;
  return ended ? undefined : before;
}

export function withContext(event: ClaimedEvent, context: ClaimedEvent['context']): ClaimedEvent {
  return context === undefined ? event : { ...event, context };
}

export function newEvent(situation: Situation, type: EventType): ClaimedEvent {
  const { resource, content, now } = situation;
  const { uid = '', generation = 0 } = resource.metadata satisfies Resource['metadata'];
  return {
    id: eventId({ uid, generation, content }, type),
    type,
    generation,
    content,
    ...claimedVersion(situation),
    attempt: 1,
    sequence: sequenceAfter(resource),
    startedAt: now.toISOString(),
  };
}

const maxListed = 20;

export function firstOfNames(names: readonly string[]): string {
  return firstNames(names, maxListed);
}
