export interface Budget {
    /** Steps so far, of which each takes less than a microsecond. They may be more than there were. */
    readonly spent: number;
    /** @returns false once the steps are more than there were */
    spend(steps: number): boolean;
}
export declare function createBudget(steps?: number): Budget;
