/** `virtual`: pauses take no time, however long they are; `real`: as long as with Fairlead. */
export type Clock = 'virtual' | 'real';
/** Backing services do not live on the virtual clock: an operation of theirs is polled every few milliseconds. */
export declare const virtualPauseMs = 10;
export declare function pauseOn(clock: Clock, ms: number): Promise<void>;
