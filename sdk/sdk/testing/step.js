// Calls the handler of an event once, through the code that serves events, and reads its answer.
import { maxContextBytes, } from '../../domain/event.js';
import { jsonBytes, withoutUndefined } from '../../lib/json.js';
import { noProgress } from '../progress.js';
import { runEvent } from '../serve/run.js';
const tooLarge = {
    kind: 'failed',
    terminal: true,
    code: 'CONTEXT_TOO_LARGE',
    message: `The context is larger than ${maxContextBytes} bytes`,
};
/** The statuses below 500 that Fairlead retries. */
const retried = [408, 425, 429];
export async function step(provider, event, { log, onProgress, ...handling }) {
    let thrown;
    const listening = {
        ...log,
        error(message, fields) {
            // The runtime reports a thrown error only to the log.
            thrown = fields?.['error'] ?? thrown;
            log.error(message, fields);
        },
    };
    const { accept, refuse } = noProgress;
    const { status, body, retryAfter } = await runEvent(provider, event, {
        ...handling,
        progress: { accept: onProgress ?? accept, refuse },
        log: listening,
    });
    if (status === 200)
        return succeededEnding(event, body);
    if (status === 202) {
        const { retry_after: seconds, context = null, message, progress: reported } = body;
        if (jsonBytes(context) > maxContextBytes)
            return tooLarge;
        const isSilent = message === undefined && reported === undefined;
        const progress = isSilent ? undefined : withoutUndefined({ ...reported, message });
        return { kind: 'later', delayMs: seconds * 1_000, context, progress };
    }
    const { code, message } = body.error;
    if (retryAfter !== undefined) {
        const { context } = event;
        return { kind: 'later', delayMs: retryAfter * 1_000, context, progress: { message } };
    }
    const terminal = status < 500 && !retried.includes(status);
    const failed = { kind: 'failed', terminal, code, message };
    return thrown === undefined ? failed : { ...failed, thrown };
}
function succeededEnding({ event_type }, body) {
    if (event_type !== 'OBSERVE') {
        return { kind: 'succeeded', outputs: body.outputs };
    }
    const observed = body;
    return { kind: 'succeeded', outputs: observed.exists ? observed.outputs : {}, observed };
}
