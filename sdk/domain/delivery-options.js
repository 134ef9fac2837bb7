// The options that a type declares about the delivery of its events, and their form in JSON: in `POST /resources/register`, in `GET
// /resources/types` and in the result of a build. An option that a type does not declare has the default of Fairlead.
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
/** The names of the options in JSON. */
const namesInBodies = {
    timeoutSeconds: 'timeout_seconds',
    retry: 'retry',
    cancellable: 'cancellable',
    cancelsOperations: 'cancels_operations',
    concurrency: 'concurrency',
    operationLimitSeconds: 'operation_limit_seconds',
    observe: 'observe',
    observeEvery: 'observe_every',
    listable: 'listable',
};
export const deliveryOptionNames = Object.keys(namesInBodies);
/** @param body where null, false and an absent member mean the same */
export function deliveryOptionsIn(body) {
    const named = deliveryOptionNames.map((name) => [name, body[namesInBodies[name]] || undefined]);
    const { attempts, max_delay_seconds: maxDelaySeconds } = body.retry ?? {};
    const retry = body.retry ? withoutUndefined({ attempts, maxDelaySeconds }) : undefined;
    return withoutUndefined({ ...Object.fromEntries(named), retry });
}
/** @returns only the members that the type declares */
export function deliveryOptionsBody(options) {
    const named = deliveryOptionNames.map((name) => [
        namesInBodies[name],
        options[name] || undefined,
    ]);
    const { attempts, maxDelaySeconds: max_delay_seconds } = options.retry ?? {};
    const retry = options.retry && withoutUndefined({ attempts, max_delay_seconds });
    return withoutUndefined({ ...Object.fromEntries(named), retry });
}
