import { type Progress } from '../domain/progress/value.js';
/** Receives what a handler reports. */
export interface ProgressReceiver {
    accept(progress: Progress): void;
    /** @param problem a sentence about what does not fit */
    refuse(problem: string): void;
}
/** For tests of handlers: nothing is shown, and a mistake is an error. */
export declare const noProgress: ProgressReceiver;
/** @returns the function that a handler calls */
export declare function reporterTo({ accept, refuse }?: ProgressReceiver): (progress: Progress) => void;
/** @returns what a handler returned; a `later` has its progress as it is sent, and none that does not fit */
export declare function withProgress(returned: unknown, { refuse }?: ProgressReceiver): unknown;
/** Logs the first mistake of a call: a loop would repeat it thousands of times. */
export declare function warningOnce(warn: (message: string) => void): ProgressReceiver['refuse'];
