// What a type declares about the delivery of its events, and its form in JSON: in `POST /resources/register`, in
// `GET /resources/types` and in the result of a build. For what a type does not declare, the default of Fairlead applies.
import { withoutUndefined } from '../lib/json.js';
/** The most attempts of one event that a type may declare. */
export const maxAttemptsOfType = 20;
/** The longest wait between two attempts that a type may declare. */
export const maxDelaySecondsOfType = 600;
/** The most deliveries at a time that a type or a provider may declare. */
export const maxConcurrency = 1_000;
/** The longest wait until the next delivery that an answer may ask for, a 202 or a 429. More is cut to it. */
export const maxAskedSeconds = 3_600;
/** How long an operation of a type may take, in seconds. */
export const operationLimitRange = { min: 60, max: 86_400 };
/** @param body where null, false and an absent member mean the same */
export function deliveryOptionsIn({ timeout_seconds, retry, cancellable, cancels_operations, concurrency, operation_limit_seconds, observe, observe_every, listable, }) {
    return withoutUndefined({
        timeoutSeconds: timeout_seconds ?? undefined,
        retry: retry
            ? withoutUndefined({ attempts: retry.attempts, maxDelaySeconds: retry.max_delay_seconds })
            : undefined,
        cancellable: cancellable || undefined,
        cancelsOperations: cancels_operations || undefined,
        concurrency: concurrency ?? undefined,
        operationLimitSeconds: operation_limit_seconds ?? undefined,
        observe: observe || undefined,
        observeEvery: observe_every ?? undefined,
        listable: listable || undefined,
    });
}
/** @returns only the members that the type declares */
export function deliveryOptionsBody({ timeoutSeconds, retry, cancellable, cancelsOperations, concurrency, operationLimitSeconds, observe, observeEvery, listable, }) {
    return withoutUndefined({
        timeout_seconds: timeoutSeconds,
        retry: retry &&
            withoutUndefined({ attempts: retry.attempts, max_delay_seconds: retry.maxDelaySeconds }),
        cancellable: cancellable || undefined,
        cancels_operations: cancelsOperations || undefined,
        concurrency,
        operation_limit_seconds: operationLimitSeconds,
        observe: observe || undefined,
        observe_every: observeEvery,
        listable: listable || undefined,
    });
}
