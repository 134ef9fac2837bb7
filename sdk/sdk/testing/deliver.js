// Delivers one event to its handler until a final answer. After `later`, the handler is called again, as by Fairlead, but sooner.
import { setTimeout as pause } from 'node:timers/promises';
import { runEvent } from '../run.js';
/** The ending of an aborted event whose handler returned `later`: Fairlead would call the handler again. */
const postponed = {
    kind: 'failed',
    terminal: false,
    code: 'later',
    message: 'The handler requested another call',
};
/** Repeats the delivery with the same key while the handler returns `later`. */
export async function deliver(provider, event, { timeoutMs, maximumDelayMs, log, settings, nextSequence, signal }) {
    const deadline = new AbortController();
    const late = Promise.withResolvers();
    const timer = setTimeout(() => {
        late.resolve({ kind: 'unanswered', afterMs: timeoutMs });
        deadline.abort(new Error('The client closed the connection'));
    }, timeoutMs);
    const whole = AbortSignal.any(signal === undefined ? [deadline.signal] : [deadline.signal, signal]);
    async function ask(context) {
        const asked = { ...event, context, sequence: nextSequence() };
        const { ending, delayMs, next } = await askOnce(provider, asked, {
            log,
            settings,
            signal: whole,
        });
        if (ending !== undefined)
            return ending;
        const delay = Math.min(delayMs, maximumDelayMs);
        await pause(delay, undefined, { signal: whole }).catch(() => undefined);
        return whole.aborted ? postponed : await ask(next);
    }
    try {
        return await Promise.race([ask(event.context), late.promise]);
    }
    finally {
        clearTimeout(timer);
    }
}
async function askOnce(provider, event, { log, settings, signal }) {
    let thrown;
    const listening = {
        ...log,
        error(message, fields) {
            // The runtime reports a thrown error only to the log.
            thrown = fields?.['error'] ?? thrown;
            log.error(message, fields);
        },
    };
    const { status, body } = await runEvent(provider, event, {
        signal,
        log: listening,
        settings,
    });
    if (status === 200) {
        const { outputs } = body;
        return { ending: { kind: 'succeeded', outputs }, delayMs: 0, next: null };
    }
    if (status === 202) {
        const { retry_after: seconds, context = null } = body;
        return { delayMs: seconds * 1_000, next: context };
    }
    const { code, message } = body.error;
    const terminal = status < 500;
    return {
        ending: {
            kind: 'failed',
            terminal,
            code,
            message,
            ...(thrown === undefined ? {} : { thrown }),
        },
        delayMs: 0,
        next: null,
    };
}
