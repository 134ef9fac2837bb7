import type { DeliveryOptions } from './delivery-options.js';
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
export declare const defaultRetryPolicy: RetryPolicy;
/**
 * For so long, attempts are not counted that are refused before a handler is called: time to set a clock right, or for the API to
 * listen from which pods fetch keys.
 */
export declare const maxUncountedMs: number;
/** The shortest time between two such attempts: nothing else slows them down. */
export declare const minUncountedDelayMs = 15000;
/** @returns the policy for events of a type: what the type declares, and the defaults of the installation for the rest */
export declare function policyOfType(defaults: RetryPolicy, { retry, operationLimitSeconds }: Pick<DeliveryOptions, 'retry' | 'operationLimitSeconds'>): RetryPolicy;
/** @returns the longest delay after a failed attempt, by backoff or `Retry-After` */
export declare function maxBackoffMs({ capMs, retryAfterCapMs }: RetryPolicy): number;
/**
 * @param attempt the failed attempt, from 1
 * @param random a number in [0, 1)
 * @param retryAfterMs the provider's `Retry-After`; a lower bound, honored up to its cap
 * @returns milliseconds until the next attempt
 */
export declare function retryDelay(policy: RetryPolicy, { attempt, random, retryAfterMs, }: {
    attempt: number;
    random: number;
    retryAfterMs?: number | undefined;
}): number;
