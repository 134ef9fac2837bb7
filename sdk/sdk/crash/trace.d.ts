export interface Traced {
    /** Called instead of ending the process; never throws. */
    readonly onCrash: (thrown: unknown, exitCode: number) => void;
    /** An error that listeners of the author's own have received. */
    received?: {
        readonly thrown: unknown;
    };
}
/** Runs `work` for a handler. All that it begins belongs to the handler, also timers and promises that outlive it. */
export declare function traced<T>(handler: Traced, work: () => T): T;
/** Runs `work` for no handler, although a handler caused it. */
export declare function untraced<T>(work: () => T): T;
/** Begins to trace; the first of several watches changes the process. @returns a function that ends this watch */
export declare function watchProcess(): () => void;
