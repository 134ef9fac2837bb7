/**
 * @param budget names that are left when it is spent are not near
 * @returns undefined when none is near: of a short name one letter may differ, of others two, of long ones a third
 */
export declare function nearest(name: string, known: Iterable<string>, budget?: import("./budget.ts").Budget): string | undefined;
/** Counts insertions, removals, replacements and swaps of neighbours (optimal string alignment). */
export declare function editDistance(left: string, right: string): number;
