import type { JsonObject } from '../lib/json.js';
declare const failureMark: unique symbol;
/** A permanent failure, which is not retried. */
export declare class TerminalFailure extends Error {
    readonly name = "TerminalFailure";
    readonly [failureMark] = true;
    /** For programs, such as `quota_exceeded`. */
    readonly code: string;
    constructor(code: string, message: string);
}
declare const mark: unique symbol;
/** The operation is not finished; the handler is called again with the same key and with `context`. */
export interface Later {
    readonly [mark]: true;
    readonly seconds: number;
    readonly message: string | undefined;
    readonly context: JsonObject | undefined;
}
export declare function isTerminalFailure(thrown: unknown): thrown is TerminalFailure;
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
export declare function fail(code: string, message: string): never;
/**
 * Postpones the end of an event: the operation continues elsewhere, and Fairlead calls the handler again with the same key. This
 * call spends no attempt.
 *
 * @param delay seconds, or a string such as `"500ms"`, `"5s"`, `"2m"`, `"1h"`
 * @param options.message the progress of the operation, for the user who declared the resource
 * @param options.context the `context` of the next call, such as the id of an operation; at most 16 KiB of JSON
 * @returns what the handler returns
 * @throws RangeError when the delay is negative, not finite or not a delay
 * @example
 * ```ts
 * async create({ config, key, context }) {
 *   const id = String(context?.operation ?? (await cloud.begin(config, key)));
 *   const operation = await cloud.look(id);
 *   if (!operation.done) return later('10s', { message: 'Creating', context: { operation: id } });
 *   return { url: operation.url };
 * }
 * ```
 */
export declare function later(delay: number | string, options?: {
    message?: string;
    context?: JsonObject;
}): Later;
export declare function isLater(value: unknown): value is Later;
export {};
