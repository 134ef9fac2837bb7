import type { JsonObject } from '../domain/json.js';
declare const failureMark: unique symbol;
/** A failure that trying again would not change. */
export declare class TerminalFailure extends Error {
    readonly name = "TerminalFailure";
    readonly [failureMark] = true;
    /** For programs, such as `quota_exceeded`. */
    readonly code: string;
    constructor(code: string, message: string);
}
declare const mark: unique symbol;
/** Not finished yet; the handler is called again with the same key, and with `context`. */
export interface Later {
    readonly [mark]: true;
    readonly seconds: number;
    readonly message: string | undefined;
    readonly context: JsonObject | undefined;
}
export declare function isTerminalFailure(thrown: unknown): thrown is TerminalFailure;
/**
 * Ends the event as failed: Fairlead does not try again, and keeps a dead letter.
 * @param code a short word for programs, such as `quota_exceeded`
 * @param message a sentence for whoever declared the resource; no secrets
 */
export declare function fail(code: string, message: string): never;
/**
 * Says that the operation goes on outside, and when to ask again. No attempt is spent.
 * @param delay seconds, or a text such as `"500ms"`, `"5s"`, `"2m"`, `"1h"`
 * @param options.message what is going on, for whoever declared the resource
 * @param options.context what the next call gets as `context`, such as the id of an operation; at most 16 KiB of JSON
 * @throws RangeError for a delay that is none
 */
export declare function later(delay: number | string, options?: {
    message?: string;
    context?: JsonObject;
}): Later;
export declare function isLater(value: unknown): value is Later;
export {};
