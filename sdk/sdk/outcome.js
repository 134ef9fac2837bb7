// A provider may carry a copy of this file of its own, bundled into its code: what is its class is not ours.
const failureMark = Symbol.for('fairlead.failure');
/** A failure that trying again would not change. */
export class TerminalFailure extends Error {
    name = 'TerminalFailure';
    [failureMark] = true;
    /** For programs, such as `quota_exceeded`. */
    code;
    constructor(code, message) {
        super(message);
        this.code = code;
    }
}
// Outputs may have fields of any name, so no name can tell a `Later` from them.
const mark = Symbol.for('fairlead.later');
export function isTerminalFailure(thrown) {
    return thrown instanceof Error && failureMark in thrown;
}
/**
 * Ends the event as failed: Fairlead does not try again, and keeps a dead letter.
 * @param code a short word for programs, such as `quota_exceeded`
 * @param message a sentence for whoever declared the resource; no secrets
 */
export function fail(code, message) {
    throw new TerminalFailure(code, message);
}
/**
 * Says that the operation goes on outside, and when to ask again. No attempt is spent.
 * @param delay seconds, or a text such as `"500ms"`, `"5s"`, `"2m"`, `"1h"`
 * @param options.message what is going on, for whoever declared the resource
 * @param options.context what the next call gets as `context`, such as the id of an operation; at most 16 KiB of JSON
 * @throws RangeError for a delay that is none
 */
export function later(delay, options = {}) {
    return {
        [mark]: true,
        seconds: typeof delay === 'number' ? checked(delay, delay) : secondsIn(delay),
        message: options.message,
        context: options.context,
    };
}
export function isLater(value) {
    return typeof value === 'object' && value !== null && mark in value;
}
const units = { ms: 0.001, s: 1, m: 60, h: 3_600 };
function secondsIn(text) {
    const [, figure = '', unit = ''] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)$/.exec(text) ?? [];
    return checked(Number(figure) * (units[unit] ?? Number.NaN), text);
}
function checked(seconds, given) {
    if (Number.isFinite(seconds) && seconds >= 0)
        return seconds;
    throw new RangeError(`later: ${given} is no delay; use seconds, or a text such as "5s"`);
}
