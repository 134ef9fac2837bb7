// Computes the remaining waits of a resource. A stored time is compared with the wall clock once, bounded by the policy;
// from then on the monotonic clock counts. So neither a changed clock nor the slow clock of another leader delays a retry or
// ends an operation.
import { LRUCache } from 'lru-cache';
import type { ClaimedEvent, Resource } from '../../crds/resource.ts';
import type { RetryOptions } from '../../domain/delivery-options.ts';
import { maxDelayMs, policyOfType, type RetryPolicy } from '../../domain/retry.ts';
import type { Clock } from '../../lib/clock.ts';
import { uncountedSkewMs } from '../clock-skew/answer.ts';
import { deliveryOf } from './unrecorded-answers.ts';

/** Remaining milliseconds; 0 when the time is over, Infinity without a limit. */
export interface Waits {
  /** Until the next delivery is due. */
  readonly deliveryMs: number;
  /** Until an operation must end, from its first 202. */
  readonly operationMs: number;
  /** Until an operation must end that a deletion waits for, from the deletion request. */
  readonly operationWhileDeletingMs: number;
  /** Until a provider must be back, from the last due time of its event. */
  readonly providerMs: number;
  /** Until answers that blame a clock spend attempts, from the first of them. */
  readonly uncountedSkewMs: number;
}

// A few for each event under way. An evicted entry is compared with the wall clock once more.
const maxCountdowns = 65_536;

export function createWaits({
  clock,
  policy,
}: {
  clock: Clock;
  policy: RetryPolicy;
}): (resource: Resource, retry?: RetryOptions) => Waits {
  const ends = new LRUCache<string, number>({ max: maxCountdowns });

  /** @param estimateMs by the wall clock; used the first time, from 0 to `maxMs` */
  function left(countdown: string, estimateMs: number, maxMs: number): number {
    const now = clock.monotonic();
    const end = ends.get(countdown) ?? now + Math.min(Math.max(0, estimateMs), maxMs);
    ends.set(countdown, end);
    return Math.max(0, end - now);
  }

  function uncountedSkew({ id, skewedAt }: ClaimedEvent, now: number): number {
    const first = timeOf(skewedAt);
    if (first === undefined) return Infinity;
    return left(`${id}/${skewedAt}/skew`, first + uncountedSkewMs - now, uncountedSkewMs);
  }

  return ({ metadata, status }, retry) => {
    const { event } = status ?? {};
    const waits = { deliveryMs: 0, operationMs: Infinity, uncountedSkewMs: Infinity };
    const unlimited = { operationWhileDeletingMs: Infinity, providerMs: Infinity };
    if (event === undefined) return { ...waits, ...unlimited };
    const now = clock.now().getTime();
    const delivery = deliveryOf(event);
    const due = timeOf(event.nextAttemptAt);
    const { operationLimitMs, deletionOperationLimitMs } = policy;
    waits.uncountedSkewMs = uncountedSkew(event, now);
    if (due !== undefined) {
      const maxMs = maxDelayMs(policyOfType(policy, retry));
      waits.deliveryMs = left(`${delivery}/due`, due - now, maxMs);
    }
    const acceptedAt = timeOf(event.acceptedAt);
    if (acceptedAt !== undefined) {
      // Time without a poll, because no leader was running, does not count for the operation.
      const asked = Math.min(now, due ?? now);
      const estimate = acceptedAt + operationLimitMs - asked;
      waits.operationMs = left(`${event.id}/${event.acceptedAt}`, estimate, operationLimitMs);
    }
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
      providerMs: left(`${delivery}/provider`, asked + operationLimitMs - now, operationLimitMs),
    };
  };
}

function timeOf(stored: string | undefined): number | undefined {
  const time = stored === undefined ? Number.NaN : Date.parse(stored);
  return Number.isNaN(time) ? undefined : time;
}
