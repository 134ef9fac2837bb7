// The answer to a request that reaches no handler.
/** An answer without calling a handler. */
export class Refusal extends Error {
    status;
    code;
    /** Seconds until a retry can help. */
    retryAfter;
    constructor(status, code, message) {
        super(message);
        this.status = status;
        this.code = code;
    }
}
