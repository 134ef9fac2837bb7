import { runEvent } from '../run.js';
/** The statuses below 500 that Fairlead retries. */
const retried = [408, 425, 429];
export async function step(provider, event, { log, ...handling }) {
    let thrown;
    const listening = {
        ...log,
        error(message, fields) {
            // The runtime reports a thrown error only to the log.
            thrown = fields?.['error'] ?? thrown;
            log.error(message, fields);
        },
    };
    const { status, body } = await runEvent(provider, event, { ...handling, log: listening });
    if (status === 200)
        return { kind: 'succeeded', outputs: body.outputs };
    if (status === 202) {
        const { retry_after: seconds, context = null, message } = body;
        return { kind: 'later', delayMs: seconds * 1_000, context, message };
    }
    const { code, message } = body.error;
    const terminal = status < 500 && !retried.includes(status);
    const failed = { kind: 'failed', terminal, code, message };
    return thrown === undefined ? failed : { ...failed, thrown };
}
