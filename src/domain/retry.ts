// Computes the delay before the next attempt: capped exponential backoff with full jitter. A type may have its own number of
// attempts and its own cap.
import type { DeclaredTypeOptions } from './type-options.ts';

export interface RetryPolicy {
  /** Total attempts, including the first. */
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** The longest `Retry-After` that is honored. */
  readonly retryAfterCapMs: number;
  /** The longest time from the first 202, or from the first of the waits that a provider asks for, until the event fails. */
  readonly operationLimitMs: number;
  /** The longest time that a deletion waits for an earlier operation answered with 202. */
  readonly deletionOperationLimitMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  // Two minutes of waits at most, so that the restart of a backing service makes no dead letters.
  maxAttempts: 8,
  baseMs: 1_000,
  capMs: 60_000,
  retryAfterCapMs: 300_000,
  operationLimitMs: 2 * 60 * 60 * 1_000,
  deletionOperationLimitMs: 10 * 60 * 1_000,
};

/**
 * For so long, attempts are not counted that are refused before a handler is called: time to set a clock right, or for the API to
 * listen from which pods fetch keys.
 */
export const maxUncountedMs = 10 * 60 * 1_000;

/** The shortest time between two such attempts: nothing else slows them down. */
export const minUncountedDelayMs = 15_000;

/** @returns the policy for events of a type: what the type declares, and the defaults of the installation for the rest */
export function policyOfType(
  defaults: RetryPolicy,
  { retry, operationLimitSeconds }: Pick<DeclaredTypeOptions, 'retry' | 'operationLimitSeconds'>,
): RetryPolicy {
  const { attempts = defaults.maxAttempts, maxDelaySeconds } = retry ?? {};
  const capMs = maxDelaySeconds === undefined ? defaults.capMs : maxDelaySeconds * 1_000;
  const operationLimitMs =
    operationLimitSeconds === undefined ? defaults.operationLimitMs : operationLimitSeconds * 1_000;
  return { ...defaults, maxAttempts: attempts, capMs, operationLimitMs };
}

/** @returns the longest delay after a failed attempt, by backoff or `Retry-After` */
export function maxBackoffMs({ capMs, retryAfterCapMs }: RetryPolicy): number {
  return Math.max(capMs, retryAfterCapMs);
}

/**
 * @param attempt the failed attempt, from 1
 * @param random a number in [0, 1)
 * @param retryAfterMs the provider's `Retry-After`; a lower bound, honored up to its cap
 * @returns milliseconds until the next attempt
 */
export function retryDelay(
  policy: RetryPolicy,
  {
    attempt,
    random,
    retryAfterMs,
  }: { attempt: number; random: number; retryAfterMs?: number | undefined },
): number {
  const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempt - 1, 30));
  const backoff = Math.round(ceiling * random);
  if (retryAfterMs === undefined) return backoff;
  return Math.max(backoff, Math.min(retryAfterMs, policy.retryAfterCapMs));
}
