/** @returns text safe for a terminal, a log and a ConfigMap: valid, without control characters, at most `limit` bytes */
export declare function clean(text: string, limit: number): string;
/**
 * Shortens a text for display.
 * @param maxLength in UTF-16 code units, the ellipsis included
 * @returns the text itself when it is short enough; never a partial character
 * @example truncate('abcdef', 4) // 'abc…'
 */
export declare function truncate(text: string, maxLength: number): string;
/**
 * Without `Intl`, whose first use takes 12 ms.
 * @returns a number with its thousands apart and at most three decimals, such as `1,204.5`
 */
export declare function figure(number: number): string;
export declare function oneLine(text: string): string;
/** @returns the text without its percent-encoding, and as it is when that is not valid */
export declare function percentDecoded(text: string): string;
/** Compares as JavaScript does, whatever the locale. */
export declare function byCodeUnit(left: string, right: string): number;
