/** A JSON Pointer that is longer is not followed further: many paths that begin alike would be longer than all values together. */
export declare const maxPathCharacters = 2048;
export interface Budget {
    /** Steps so far, of which each takes less than half a microsecond; the last ones of a spent budget were not made. */
    readonly spent: number;
    /** @returns false once the steps are more than there were */
    spend(steps: number): boolean;
}
/** For the schemas of many types, each of which is new once. */
export declare const stepsForMany = 500000;
export declare function createBudget(steps?: number): Budget;
