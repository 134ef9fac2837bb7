// Limits the request rate of each organization. The key is the organization of the verified token, nothing else from the
// request; each replica grants its share. Responses carry RateLimit and RateLimit-Policy of the IETF draft
// draft-ietf-httpapi-ratelimit-headers.
import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import type { Clock } from '../../lib/clock.ts';

export interface RateSettings {
  /** Requests per second of one organization, over all replicas; 0: unlimited. */
  readonly perSecond: number;
  /** Requests at once, after a pause. */
  readonly burst: number;
  /** Pushes of provider code per minute, counted separately; 0: unlimited. */
  readonly pushesPerMinute: number;
}

export type Quota = 'default' | 'push';

export interface RateLimiter {
  /**
   * Counts a request and sets the rate limit headers of its response.
   * @param cost number of requests that it counts as; capped at the burst
   * @throws FairleadError `too_many_requests`; such a request is not counted
   */
  take(organization: Organization, quota: Quota, res: ServerResponse, cost?: number): void;
  /**
   * Charges what a request has cost beyond `take`, up to a debt of one burst: the next ones wait for the refill.
   * @param cost number of requests, also for a push, since pushes are counted and not measured
   */
  charge(organization: Organization, cost: number): void;
}

interface RateLimiterOptions {
  readonly rates: RateSettings;
  readonly clock: Clock;
  /** The current number of replicas that serve the API, including this one. */
  readonly replicas: () => number;
}

// Organizations with a bucket. An evicted organization restarts with a full one, but that takes as many active
// organizations.
const rememberedOrganizations = 10_000;

export function createRateLimiter({ rates, clock, replicas }: RateLimiterOptions): RateLimiter {
  const quotas = {
    default: createQuota('default', { perSecond: rates.perSecond, burst: rates.burst }),
    push: createQuota('push', {
      perSecond: rates.pushesPerMinute / 60,
      burst: rates.pushesPerMinute,
    }),
  };
  return {
    take({ issuer, id }, quota, res, cost = 1) {
      const now = clock.monotonic();
      const asked = { now, replicas: replicas(), res, cost };
      quotas[quota]?.take(keyOf({ issuer, id }), asked);
    },
    charge(organization, cost) {
      const now = clock.monotonic();
      quotas.default?.charge(keyOf(organization), { now, replicas: replicas(), cost });
    },
  };
}

function keyOf({ issuer, id }: Pick<Organization, 'issuer' | 'id'>): string {
  return JSON.stringify([issuer, id]);
}

interface RateCharge {
  readonly now: number;
  readonly replicas: number;
  readonly cost: number;
}

interface RateRequest extends RateCharge {
  readonly res: ServerResponse;
}

/** @returns undefined when there is no limit */
function createQuota(name: Quota, whole: Rate) {
  if (whole.perSecond <= 0 || whole.burst <= 0) return undefined;
  const buckets = new LRUCache<string, TokenBucket>({ max: rememberedOrganizations });
  const windowSeconds = Math.ceil(whole.burst / whole.perSecond);
  const policy = `"${name}";q=${whole.burst};w=${windowSeconds}`;

  return {
    take(key: string, { now, replicas, res, cost }: RateRequest): void {
      const share = rateShare(whole, replicas);
      const count = Math.min(cost, share.burst);
      const bucket = buckets.get(key) ?? createTokenBucket(share, now);
      buckets.set(key, bucket);
      const taken = bucket.take(share, now, count);
      const left = Math.min(
        whole.burst,
        Math.floor(Math.max(0, bucket.level)) * Math.max(1, replicas),
      );
      const full = Math.ceil((share.burst - bucket.level) / share.perSecond);
      res.setHeader('RateLimit-Policy', policy);
      res.setHeader('RateLimit', `"${name}";r=${left};t=${full}`);
      if (taken) return;
      const retryAfter = Math.ceil((count - bucket.level) / share.perSecond);
      const message = `Too many requests of this organization; the limit is ${limitText(name, whole)}`;
      throw new FairleadError('too_many_requests', message, { retryAfter });
    },
    charge(key: string, { now, replicas, cost }: RateCharge): void {
      const share = rateShare(whole, replicas);
      buckets.get(key)?.charge(share, now, cost);
    },
  };
}

/** Every replica has its share of the total. Below one token nothing would ever pass. */
function rateShare({ perSecond, burst }: Rate, replicas: number): Rate {
  const count = Math.max(1, replicas);
  return { perSecond: perSecond / count, burst: Math.max(1, burst / count) };
}

function limitText(name: Quota, { perSecond, burst }: Rate): string {
  return name === 'push' ? `${burst} pushes a minute` : `${perSecond} a second`;
}

// Implements a token bucket: saved tokens, at most the burst, plus the refill since. In any time span it permits at most the burst
// plus the rate times the span.

interface Rate {
  /** Tokens added per second. */
  readonly perSecond: number;
  /** The maximum of saved tokens. */
  readonly burst: number;
}

interface TokenBucket {
  /** @returns true after it has removed `count` tokens (default 1); false when there are fewer */
  take(rate: Rate, atMs: number, count?: number): boolean;
  /** Removes `count` tokens after the fact; the debt is at most the burst. */
  charge(rate: Rate, atMs: number, count: number): void;
  /** Available tokens; negative: a debt. */
  readonly level: number;
}

/**
 * Starts full. Every call passes the rate, because it changes with the number of replicas.
 * @param atMs monotonic
 */
export function createTokenBucket(begin: Rate, atMs: number): TokenBucket {
  let level = begin.burst;
  let lastMs = atMs;
  const refill = ({ perSecond, burst }: Rate, nowMs: number) => {
    level = Math.min(burst, level + (Math.max(0, nowMs - lastMs) / 1_000) * perSecond);
    lastMs = Math.max(lastMs, nowMs);
  };
  return {
    take(rate, nowMs, count = 1) {
      refill(rate, nowMs);
      if (level < count) return false;
      level -= count;
      return true;
    },
    charge(rate, nowMs, count) {
      refill(rate, nowMs);
      level = Math.max(-rate.burst, level - count);
    },
    get level() {
      return level;
    },
  };
}
