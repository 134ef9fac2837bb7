/** @returns a valid value; undefined for any other, which is to be ignored */
export declare function traceparentIn(header: unknown): string | undefined;
/** @param traceparent a valid value */
export declare function traceIdOf(traceparent: string): string;
