// What a type declares about the delivery of its events, and its form in JSON: in `POST /resources/register`, in
// `GET /resources/types` and in the result of a build. For what a type does not declare, the default of Fairlead applies.
import { withoutUndefined } from './json.js';
/** The most attempts of one event that a type may declare. */
export const maximumAttemptsOfType = 20;
/** The longest wait between two attempts that a type may declare. */
export const maximumDelaySecondsOfType = 600;
/** @param body where null and an absent member mean the same */
export function deliveryOptionsIn({ timeout_seconds, retry }) {
    return withoutUndefined({
        timeoutSeconds: timeout_seconds ?? undefined,
        retry: retry
            ? withoutUndefined({ attempts: retry.attempts, maxDelaySeconds: retry.max_delay_seconds })
            : undefined,
    });
}
/** @returns only the members that the type declares */
export function deliveryOptionsBody({ timeoutSeconds, retry, }) {
    return withoutUndefined({
        timeout_seconds: timeoutSeconds,
        retry: retry &&
            withoutUndefined({ attempts: retry.attempts, max_delay_seconds: retry.maxDelaySeconds }),
    });
}
