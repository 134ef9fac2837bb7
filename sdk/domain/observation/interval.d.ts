/** Form of an interval: a whole number of seconds, minutes, hours or days. */
export declare const intervalPattern: RegExp;
export declare const minIntervalMs = 60000;
export declare const maxIntervalMs: number;
/** The interval of a type that declares none. */
export declare const defaultInterval = "1h";
/**
 * @returns the milliseconds of an interval; undefined for another form, and outside the limits
 * @example intervalMs('10m') // 600000
 */
export declare function intervalMs(text: string): number | undefined;
/** @returns the milliseconds of the first interval that is one, or else those of the default: kubectl may have stored any text */
export declare function observedEveryMs(...intervals: readonly (string | undefined)[]): number;
/** The rule, for messages. */
export declare const intervalRule = "a whole number with s, m, h or d, from 1m to 7d, such as 10m";
