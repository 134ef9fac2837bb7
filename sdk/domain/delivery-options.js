// What a type declares about the delivery of its events, and its form in JSON: in `POST /resources/register`, in
// `GET /resources/types` and in the result of a build. For what a type does not declare, the default of Fairlead applies.
import { withoutUndefined } from '../lib/json.js';
/** The most attempts of one event that a type may declare. */
export const maxAttemptsOfType = 20;
/** The longest wait between two attempts that a type may declare. */
export const maxDelaySecondsOfType = 600;
/** @param body where null, false and an absent member mean the same */
export function deliveryOptionsIn({ timeout_seconds, retry, cancellable, cancels_operations, }) {
    return withoutUndefined({
        timeoutSeconds: timeout_seconds ?? undefined,
        retry: retry
            ? withoutUndefined({ attempts: retry.attempts, maxDelaySeconds: retry.max_delay_seconds })
            : undefined,
        cancellable: cancellable || undefined,
        cancelsOperations: cancels_operations || undefined,
    });
}
/** @returns only the members that the type declares */
export function deliveryOptionsBody({ timeoutSeconds, retry, cancellable, cancelsOperations, }) {
    return withoutUndefined({
        timeout_seconds: timeoutSeconds,
        retry: retry &&
            withoutUndefined({ attempts: retry.attempts, max_delay_seconds: retry.maxDelaySeconds }),
        cancellable: cancellable || undefined,
        cancels_operations: cancelsOperations || undefined,
    });
}
