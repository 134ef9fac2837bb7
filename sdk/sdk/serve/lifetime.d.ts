import { type AnyObject, type HandlerLog, type StartCall } from '../call.js';
import type { Provider } from '../provider.js';
export interface Lifetime {
    /** Parsed. */
    readonly settings: AnyObject;
    /** The values that handlers receive besides their calls. */
    readonly started: AnyObject;
    /** Has `stop` wait for this work, at most five seconds. @returns the work */
    before<T>(work: Promise<T>): Promise<T>;
    /** Calls `stop` of the provider once. @throws what it throws, or an Error after ten seconds */
    stop(): Promise<void>;
}
export interface LifetimeOptions {
    /** As people give them. */
    readonly settings: AnyObject;
    readonly log: HandlerLog;
    /** Aborted when the provider stops before it has started. */
    readonly signal: AbortSignal;
}
/** The provider cannot begin, for a reason of its own. The message is one line; no secret of the settings is in it. */
export declare class StartFailure extends Error {
    readonly name = "StartFailure";
    /** Where the code threw, for its author; without secrets of the settings, too. */
    readonly trace: string;
    constructor(message: string, trace: string, options?: ErrorOptions);
}
/**
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws StartFailure when `check` or `start` throws
 * @throws TypeError when `start` returns a name that every handler has already
 */
export declare function startProvider(provider: Provider, { settings: values, log, signal }: LifetimeOptions): Promise<Lifetime>;
/** @throws what `check` throws, or an Error after 25 seconds */
export declare function checkSettings(provider: Provider, call: StartCall): Promise<void>;
/** @returns the first line of what was thrown */
export declare function problemLine(thrown: unknown): string;
