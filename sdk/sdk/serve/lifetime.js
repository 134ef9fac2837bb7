// The life of a provider in a process: `check` and `start` before its first handler, `stop` after its last one.
import { setTimeout as pause } from 'node:timers/promises';
import { settingsProblems } from '../../domain/schemas/setting-schema.js';
import { isCallMember } from '../call.js';
import { thrownText } from '../failure-text.js';
import { parseSettings, withoutSettings } from '../settings.js';
/** The provider cannot begin, for a reason of its own. The message is one line; no secret of the settings is in it. */
export class StartFailure extends Error {
    name = 'StartFailure';
    /** Where the code threw, for its author; without secrets of the settings, too. */
    trace;
    constructor(message, trace, options) {
        super(message, options);
        this.trace = trace;
    }
}
/** Well below the time in which Fairlead expects an answer to the question whether settings work. */
const checkMs = 25_000;
const stopMs = 10_000;
/** For handlers whose signals are aborted. */
const lastHandlerMs = 5_000;
/**
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws StartFailure when `check` or `start` throws
 * @throws TypeError when `start` returns a name that every handler has already
 */
export async function startProvider(provider, { settings: values, log, signal }) {
    const settings = await parseSettings(provider, values);
    const call = { settings, log, signal };
    const shown = (text) => withoutSettings(provider, values, text);
    const failure = (what, thrown) => {
        const { stack = '' } = thrown instanceof Error ? thrown : {};
        return new StartFailure(`${what}: ${shown(problemLine(thrown))}`, shown(stack), {
            cause: thrown,
        });
    };
    await checkSettings(provider, call).catch((thrown) => {
        throw failure(settingsProblems.refused, thrown);
    });
    const returned = await unlessAborted(signal, async () => await provider.start?.(call)).catch((thrown) => {
        throw failure('start failed', thrown);
    });
    const started = requireStartable(provider.name, returned);
    const running = new Set();
    let stopped;
    return {
        settings,
        started,
        before(work) {
            const ended = work.catch(() => undefined).finally(() => running.delete(ended));
            running.add(ended);
            return work;
        },
        stop() {
            stopped ??= stopAfter(Promise.all(running), provider, started);
            return stopped;
        },
    };
}
async function stopAfter(handlers, { stop }, started) {
    if (stop === undefined)
        return;
    await endsWithin(lastHandlerMs, handlers);
    const isDone = await endsWithin(stopMs, (async () => await stop(started))());
    if (!isDone)
        throw new Error(`stop took longer than ${stopMs / 1_000} s`);
}
/** @returns whether the work was done in time */
async function endsWithin(ms, work) {
    const done = new AbortController();
    const late = pause(ms, false, { signal: done.signal }).catch(() => false);
    try {
        return await Promise.race([work.then(() => true), late]);
    }
    finally {
        done.abort();
    }
}
/** @throws what `check` throws, or an Error after 25 seconds */
export async function checkSettings(provider, call) {
    if (provider.check === undefined)
        return;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error(`check took longer than ${checkMs / 1_000} s`)), checkMs);
    const signal = AbortSignal.any([call.signal, limit.signal]);
    try {
        await unlessAborted(signal, async () => await provider.check?.({ ...call, signal }));
    }
    finally {
        clearTimeout(timer);
    }
}
/** @returns the first line of what was thrown */
export function problemLine(thrown) {
    const lines = thrownText(thrown, 'It').split('\n');
    return lines.find((line) => line.trim() !== '')?.trim() ?? 'it threw an error without a message';
}
/** The code of an author may ignore the signal. */
async function unlessAborted(signal, work) {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
        return await Promise.race([work(), aborted.promise]);
    }
    finally {
        signal.removeEventListener('abort', onAbort);
    }
}
function requireStartable(name, returned = {}) {
    if (typeof returned !== 'object' || returned === null) {
        throw new TypeError(`start of provider ${name} must return an object, or nothing`);
    }
    const taken = Object.keys(returned).find(isCallMember);
    if (taken === undefined)
        return returned;
    throw new TypeError(`start of provider ${name} returns "${taken}", which every handler receives already; return it under another name`);
}
