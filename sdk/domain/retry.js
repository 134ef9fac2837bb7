export const defaultRetryPolicy = {
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
export function policyOfType(defaults, { retry, operationLimitSeconds }) {
    const { attempts = defaults.maxAttempts, maxDelaySeconds } = retry ?? {};
    const capMs = maxDelaySeconds === undefined ? defaults.capMs : maxDelaySeconds * 1_000;
    const operationLimitMs = operationLimitSeconds === undefined ? defaults.operationLimitMs : operationLimitSeconds * 1_000;
    return { ...defaults, maxAttempts: attempts, capMs, operationLimitMs };
}
/** @returns the longest delay after a failed attempt, by backoff or `Retry-After` */
export function maxBackoffMs({ capMs, retryAfterCapMs }) {
    return Math.max(capMs, retryAfterCapMs);
}
/**
 * @param attempt the failed attempt, from 1
 * @param random a number in [0, 1)
 * @param retryAfterMs the provider's `Retry-After`; a lower bound, honored up to its cap
 * @returns milliseconds until the next attempt
 */
export function retryDelay(policy, { attempt, random, retryAfterMs, }) {
    const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempt - 1, 30));
    const backoff = Math.round(ceiling * random);
    if (retryAfterMs === undefined)
        return backoff;
    return Math.max(backoff, Math.min(retryAfterMs, policy.retryAfterCapMs));
}
