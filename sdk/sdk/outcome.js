// A provider may have a bundled copy of this file, so its classes differ from these.
const failureMark = Symbol.for('fairlead.failure');
/** A permanent failure, which is not retried. */
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
// Outputs may have fields of any name, so a symbol identifies a `Later`.
const mark = Symbol.for('fairlead.later');
export function isTerminalFailure(thrown) {
    return thrown instanceof Error && failureMark in thrown;
}
/**
 * Ends the event as failed. Fairlead makes no further attempt, and keeps a dead letter. Any other error that a handler throws
 * leads to another attempt.
 *
 * @param code a machine-readable code, such as `quota_exceeded`
 * @param message a human-readable message for the user who declared the resource, without secrets
 * @returns never: it always throws
 * @throws TerminalFailure always; do not catch it
 * @example
 * ```ts
 * if (config.size > available) fail('quota_exceeded', `Only ${available} GiB are left`);
 * ```
 */
export function fail(code, message) {
    throw new TerminalFailure(code, message);
}
/**
 * Postpones the end of an event: the operation continues elsewhere, and Fairlead calls the handler again with the same key. This
 * call spends no attempt.
 *
 * @param delay seconds, or a string such as `"500ms"`, `"5s"`, `"2m"`, `"1h"`
 * @param options what the operation is at and how far, and the `context` of the next call
 * @returns what the handler returns
 * @throws RangeError when the delay is negative, not finite or not a delay
 * @example
 * ```ts
 * async create({ config, key, context }) {
 *   const id = String(context?.operation ?? (await cloud.begin(config, key)));
 *   const operation = await cloud.look(id);
 *   const { percent: done } = operation;
 *   if (!operation.ended) {
 *     return later('10s', { message: 'Creating', progress: { done, total: 100 }, context: { operation: id } });
 *   }
 *   return { url: operation.url };
 * }
 * ```
 */
export function later(delay, options = {}) {
    return {
        [mark]: true,
        seconds: typeof delay === 'number' ? checked(delay, delay) : secondsIn(delay),
        message: options.message,
        context: options.context,
        progress: options.progress,
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
    throw new RangeError(`later: ${given} is not a valid delay; use seconds, or a string such as "5s"`);
}
