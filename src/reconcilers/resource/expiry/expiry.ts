// The expiry of resources: an ordinary deletion at a time. Rules are pure. Nothing is stored about what is due: it follows from the
// spec and the clock.
import { LRUCache } from 'lru-cache';
import { type Key, keyFor, type Outcome, settled, waitUntil } from '../../../kube/api.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ClaimStore } from '../../../store/resources/claims.ts';
import { isProtected } from '../../../store/resources/options.ts';
import type { Observed } from '../observe.ts';
import type { Decision, Situation } from '../situation.ts';

type Expiring = Pick<Situation, 'resource' | 'suspended'>;

/** A forward jump of the wall clock, as after a suspended machine, is noticed this late at most. */
const maxWaitMs = 300_000;

function expiresAt({ resource: { metadata, spec }, suspended }: Expiring): number | undefined {
  if (spec.expiresAt === undefined || metadata.deletionTimestamp !== undefined) return undefined;
  const time = Date.parse(spec.expiresAt);
  // An organization that is resumed gets its resources as they were; and nothing protected is deleted.
  return Number.isNaN(time) || suspended || isProtected(spec) ? undefined : time;
}

export function isExpired(observed: Expiring, now: Date): boolean {
  const time = expiresAt(observed);
  return time !== undefined && time <= now.getTime();
}

export function deleteExpired(situation: Situation): Decision | undefined {
  return isExpired(situation, situation.now) ? { do: 'expire' } : undefined;
}

/** @returns the outcome of a pass, ended early enough for the expiry */
export function untilExpiry(outcome: Outcome, observed: Expiring, now: Date): Outcome {
  const { expiresAt: text } = observed.resource.spec;
  const isLeaving = observed.resource.metadata.deletionTimestamp !== undefined;
  if (text === undefined || isLeaving || outcome.kind === 'again') return outcome;
  // Nothing of a suspended organization is due, and nothing wakes its settled resources when it is resumed.
  const time = expiresAt(observed) ?? Number.POSITIVE_INFINITY;
  const latest = now.getTime() + maxWaitMs;
  const next = time > now.getTime() ? Math.min(time, latest) : latest;
  return outcome.kind === 'waitUntil' && outcome.at.getTime() <= next
    ? outcome
    : waitUntil(new Date(next));
}

/** Gives each deletion a time of its own. */
export interface ExpiryPace {
  /** @returns the milliseconds until the deletion of a resource may begin; 0: now */
  enter(key: Key): number;
}

/** A hundred a minute: after an outage, what has expired meanwhile is not deleted all at once. */
const intervalMs = 600;
const maxKeys = 100_000;

export function createExpiryPace(clock: Clock): ExpiryPace {
  const times = new LRUCache<Key, number>({ max: maxKeys });
  let free = 0;
  return {
    enter(key) {
      const now = clock.monotonic();
      const time = times.get(key) ?? Math.max(now, free);
      if (!times.has(key)) free = time + intervalMs;
      if (time > now) {
        times.set(key, time);
        return time - now;
      }
      times.delete(key);
      return 0;
    },
  };
}

export interface ExpireDeps {
  readonly claims: Pick<ClaimStore, 'expire'>;
  readonly expiryPace: ExpiryPace;
  readonly clock: Clock;
}

/** The version that was decided on: it may be protected, or expire later, since. */
export async function expire(
  { resource }: Pick<Observed, 'resource'>,
  deps: ExpireDeps,
): Promise<Outcome> {
  const waitMs = deps.expiryPace.enter(keyFor(resource.metadata));
  if (waitMs > 0) return waitUntil(new Date(deps.clock.now().getTime() + waitMs));
  await deps.claims.expire(resource);
  return settled;
}
