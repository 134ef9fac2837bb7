import type { AnyObject, HandlerLog } from '../../call.js';
import type { Provider } from '../../provider.js';
/** The values that the handlers of a process receive besides events. */
export interface Process {
    readonly settings: AnyObject;
    readonly started: AnyObject;
}
export interface Processes {
    /** The one that receives events. */
    current(): Process;
    /** Ends it without `stop`, and starts another one. */
    crash(): Promise<void>;
    /**
     * Calls `stop` for all of them, the newest first: an operating system would have closed what a crash leaves open.
     * @throws the first error of them
     */
    close(): Promise<void>;
}
export interface ProcessOptions {
    readonly settings: AnyObject;
    readonly log: HandlerLog;
}
/**
 * Calls `check` and `start`.
 *
 * @throws InvalidSettings when the settings do not fit their schema
 * @throws StartFailure when `check` or `start` throws
 */
export declare function startProcesses(provider: Provider, { settings, log }: ProcessOptions): Promise<Processes>;
