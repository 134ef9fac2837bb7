/** The difference of clocks that does not matter, in seconds. */
export declare const clockToleranceSeconds = 30;
/** When a token was signed, and when it expires, in seconds since 1970. */
export interface Times {
    readonly iat: number;
    readonly exp: number;
}
/** @throws Refusal when a token is not yet or no longer valid, by more than the tolerance */
export declare function checkClock(times: Times, now: Date): void;
