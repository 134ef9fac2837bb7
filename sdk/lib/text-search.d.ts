export interface TextSearch {
    /** Characters of the given texts plus moves made so far; it grows linearly with what is built and searched. */
    readonly steps: number;
    /**
     * Calls `found` in the order of the ends, for the longest text that ends there. Each text has a number, `which`.
     * @returns the length of the longest beginning of a text that the searched one ends with
     */
    search(text: string, found: (from: number, to: number, which: number) => void): number;
}
export declare function createTextSearch(texts: Iterable<string>): TextSearch;
