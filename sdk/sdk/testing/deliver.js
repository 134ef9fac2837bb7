// Delivers one event to its handler until a final answer. After `later`, the handler is called again, as by Fairlead, but sooner.
import { setTimeout as pause } from 'node:timers/promises';
import { step } from './step.js';
/** The ending of an event whose handler returned `later` and is not called again here: Fairlead would do so. */
const postponed = {
    kind: 'failed',
    terminal: false,
    code: 'later',
    message: 'The handler requested another call',
};
/** Repeats the delivery with the same key while the handler returns `later`. */
export async function deliver(provider, event, { timeoutMs, maximumDelayMs, nextSequence, signal, once = false, ...handling }) {
    const deadline = new AbortController();
    const late = Promise.withResolvers();
    const timer = setTimeout(() => {
        late.resolve({ kind: 'unanswered', afterMs: timeoutMs });
        deadline.abort(new Error('The client closed the connection'));
    }, timeoutMs);
    const whole = AbortSignal.any(signal === undefined ? [deadline.signal] : [deadline.signal, signal]);
    async function ask(context) {
        const asked = { ...event, context, sequence: event.sequence ?? nextSequence() };
        const taken = await step(provider, asked, { ...handling, signal: whole });
        if (taken.kind !== 'later')
            return taken;
        if (once)
            return postponed;
        const delay = Math.min(taken.delayMs, maximumDelayMs);
        await pause(delay, undefined, { signal: whole }).catch(() => undefined);
        return whole.aborted ? postponed : await ask(taken.context);
    }
    try {
        return await Promise.race([ask(event.context), late.promise]);
    }
    finally {
        clearTimeout(timer);
    }
}
