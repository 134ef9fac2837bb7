export interface Progress {
    /** How much is done: a number of entries, bytes, steps. */
    readonly done?: number | undefined;
    /** The amount of which `done` is a part; never below it. Absent when it is unknown. */
    readonly total?: number | undefined;
    /** A sentence for the user who declared the resource. */
    readonly message?: string | undefined;
}
export declare const maxProgressMessageLength = 200;
/** The largest whole number of a structured field (RFC 9651). */
export declare const maxProgressNumber = 999999999999999;
/** @returns the progress as it is stored: numbers with at most three decimals, the message in one line; or what is wrong with it */
export declare function parseProgress(given: unknown): Progress | {
    readonly problem: string;
};
