export type StreamName = 'stdout' | 'stderr';
/** Receives text as it was written: a line may come in several pieces, and a piece may have several lines. */
export type OutputRecorder = (text: string, stream: StreamName) => void;
/** Runs `work`. Its output, also in timers and promises that outlive it, is recorded while `watchOutput` is in force. */
export declare function recorded<T>(recorder: OutputRecorder, work: () => T): T;
/** Runs `work` without a recorder, although a handler caused it. */
export declare function unrecorded<T>(work: () => T): T;
/** Begins to record; the first of several watches changes the streams. @returns a function that ends this watch */
export declare function watchOutput(): () => void;
