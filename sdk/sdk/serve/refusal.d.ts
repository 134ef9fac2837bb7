/** An answer without calling a handler. */
export declare class Refusal extends Error {
    readonly status: number;
    readonly code: string;
    /** Seconds until a retry can help. */
    readonly retryAfter: number | undefined;
    constructor(status: number, code: string, message: string);
}
