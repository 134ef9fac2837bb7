// Delivers an event until it has ended, by the rules of Fairlead: which failures are retried, how often and after which waits, and
// how long an operation may take.
import { defaultTimeoutSeconds } from '../../../domain/event.js';
import { defaultRetryPolicy, policyOfType, retryDelay } from '../../../domain/retry.js';
import { step } from '../step.js';
import { pauseOn } from './clock.js';
export async function deliverToEnd(event, delivering) {
    let course = { attempt: 1, context: null, operationMs: 0 };
    for (;;) {
        const { attempt, context } = course;
        const delivery = { ...event, attempt, context, sequence: delivering.nextSequence() };
        delivering.onDelivery(delivery);
        const taken = await deliverOnce(delivery, delivering);
        const isLost = await delivering.faults.take(delivery, taken.kind === 'succeeded');
        const next = isLost
            ? retried(course, lost, delivering.type)
            : after(course, taken, delivering.type);
        if ('kind' in next)
            return next;
        if (taken.kind === 'later' && taken.progress)
            delivering.onProgress(taken.progress);
        await pauseOn(delivering.clock, next.delayMs);
        course = next;
    }
}
/** @returns the answer to one delivery; `TIMEOUT` when the handler runs beyond the limit of its type, which takes real time */
export async function deliverOnce(event, { provider, type, processes, log, onProgress }) {
    const { timeoutSeconds = defaultTimeoutSeconds } = type;
    const abort = new AbortController();
    const late = Promise.withResolvers();
    const timer = setTimeout(() => {
        const message = `The handler has run for ${timeoutSeconds} s, the limit of its type`;
        abort.abort(new Error(message));
        late.resolve({ kind: 'failed', terminal: true, code: 'TIMEOUT', message });
    }, timeoutSeconds * 1_000);
    const handling = { ...processes.current(), log, onProgress, signal: abort.signal };
    try {
        return await Promise.race([step(provider, event, handling), late.promise]);
    }
    finally {
        clearTimeout(timer);
    }
}
function after(course, taken, type) {
    if (taken.kind === 'later')
        return postponed(course, taken, type);
    return taken.kind === 'succeeded' || taken.terminal ? taken : retried(course, taken, type);
}
const lost = {
    kind: 'failed',
    terminal: false,
    code: 'CONNECTION_LOST',
    message: 'The answer was lost',
};
/** Waits are random: this is their mean. */
const random = 0.5;
function retried(course, failed, type) {
    const policy = policyOfType(defaultRetryPolicy, type);
    const { attempt } = course;
    if (attempt >= policy.maxAttempts)
        return failed;
    return { ...course, attempt: attempt + 1, delayMs: retryDelay(policy, { attempt, random }) };
}
function postponed({ attempt, operationMs }, { delayMs, context }, type) {
    const limitMs = policyOfType(defaultRetryPolicy, type).operationLimitMs;
    const total = operationMs + Math.max(delayMs, minimumDelayMs);
    if (total <= limitMs)
        return { attempt, context, operationMs: total, delayMs };
    const message = `The operation has not ended after ${limitMs / 60_000} minutes`;
    return { kind: 'failed', terminal: true, code: 'OPERATION_TIMED_OUT', message };
}
/** Fairlead waits so long at least. */
const minimumDelayMs = 1_000;
