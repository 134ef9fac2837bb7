// Computes the remaining waits of a resource. A stored time is compared with the wall clock once, bounded by the policy;
// from then on the monotonic clock counts. So neither a changed clock nor the slow clock of another leader delays a retry or
// ends an operation.
import { LRUCache } from 'lru-cache';
import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import type { Resource } from '../../crds/resource.ts';
import { maxAskedSeconds } from '../../domain/event.ts';
import {
  maxBackoffMs,
  maxUncountedMs,
  policyOfType,
  type RetryPolicy,
} from '../../domain/retry.ts';
import type { DeclaredTypeOptions } from '../../domain/type-options.ts';
import type { Clock } from '../../lib/clock.ts';
import { deliveryId } from './delivery/unrecorded-answers.ts';

/** Remaining milliseconds; 0 when the time is over, Infinity without a limit. */
export interface Waits {
  /** Until the next delivery is due. */
  readonly deliveryMs: number;
  /** Until an operation must end, from its first 202; without one, until waits must end that the provider asks for. */
  readonly operationMs: number;
  /** Until an operation must end that a deletion waits for, from the deletion request. */
  readonly operationWhileDeletingMs: number;
  /** Until a provider must be back, from the last due time of its event. */
  readonly providerMs: number;
  /** Until answers that blame a clock spend attempts, from the first of them. */
  readonly uncountedSkewMs: number;
  /** Until refusals for want of keys spend attempts, from the claim of the event. */
  readonly uncountedKeysMs: number;
}

// A few for each event under way. An evicted entry is compared with the wall clock once more.
const maxCountdowns = 65_536;

export function createWaits({
  clock,
  policy,
}: {
  clock: Clock;
  policy: RetryPolicy;
}): (resource: Resource, type?: DeclaredTypeOptions) => Waits {
  const ends = new LRUCache<string, number>({ max: maxCountdowns });

  /** @param estimateMs by the wall clock; used the first time, from 0 to `maxMs` */
  function left(countdown: string, estimateMs: number, maxMs: number): number {
    const now = clock.monotonic();
    const end = ends.get(countdown) ?? now + Math.min(Math.max(0, estimateMs), maxMs);
    ends.set(countdown, end);
    return Math.max(0, end - now);
  }

  function uncounted(since: string | undefined, { id }: ClaimedEvent, now: number): number {
    const first = timeOf(since);
    if (first === undefined) return Infinity;
    return left(`${id}/${since}/uncounted`, first + maxUncountedMs - now, maxUncountedMs);
  }

  function operation(event: ClaimedEvent, limitMs: number, now: number): number {
    const begun = event.acceptedAt ?? event.hold?.since;
    const begunAt = timeOf(begun);
    if (begunAt === undefined) return Infinity;
    // Time without a poll, because no leader was running, does not count for the operation.
    const asked = Math.min(now, timeOf(event.nextAttemptAt) ?? now);
    return left(`${event.id}/${begun}`, begunAt + limitMs - asked, limitMs);
  }

  return ({ metadata, status }, type = {}) => {
    const { event } = status ?? {};
    const none = { uncountedSkewMs: Infinity, uncountedKeysMs: Infinity };
    const waits = { deliveryMs: 0, operationMs: Infinity, ...none };
    const unlimited = { operationWhileDeletingMs: Infinity, providerMs: Infinity };
    if (event === undefined) return { ...waits, ...unlimited };
    const now = clock.now().getTime();
    const delivery = deliveryId(event);
    const due = timeOf(event.nextAttemptAt);
    const { deletionOperationLimitMs } = policy;
    const ofType = policyOfType(policy, type);
    waits.uncountedSkewMs = uncounted(event.skewedAt, event, now);
    waits.uncountedKeysMs = uncounted(event.startedAt, event, now);
    if (due !== undefined) {
      const maxMs = isAskedFor(event) ? maxAskedSeconds * 1_000 : maxBackoffMs(ofType);
      waits.deliveryMs = left(`${delivery}/due`, due - now, maxMs);
    }
    waits.operationMs = operation(event, ofType.operationLimitMs, now);
    const deletedAt = timeOf(metadata.deletionTimestamp);
    if (deletedAt === undefined) return { ...waits, ...unlimited };
    const asked = Math.max(timeOf(event.startedAt) ?? now, due ?? 0);
    return {
      ...waits,
      operationWhileDeletingMs: left(
        `${metadata.uid}/deletion`,
        deletedAt + deletionOperationLimitMs - now,
        deletionOperationLimitMs,
      ),
      // A type that limits its operations sets no limit for the absence of its provider.
      providerMs: left(
        `${delivery}/provider`,
        asked + policy.operationLimitMs - now,
        policy.operationLimitMs,
      ),
    };
  };
}

/** The time of the next delivery is that of an answer, and no backoff. */
function isAskedFor({ acceptedAt, hold }: ClaimedEvent): boolean {
  return acceptedAt !== undefined || hold !== undefined;
}

function timeOf(stored: string | undefined): number | undefined {
  const time = stored === undefined ? Number.NaN : Date.parse(stored);
  return Number.isNaN(time) ? undefined : time;
}
