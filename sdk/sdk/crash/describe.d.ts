export interface Description {
    /** One line of at most 512 characters without the folder of the code, such as `Error: Boom (index.ts:15)`. */
    readonly message: string;
    /** With the stack and the causes, as Node prints it. */
    readonly full: string;
}
/** @param codeFolder the folder of the author's code, without symbolic links */
export declare function describe(thrown: unknown, codeFolder: string): Description;
/**
 * @param line text that the author's code printed
 * @returns it without the folder of the code; undefined for a line of a stack that shows no place in the author's own code
 */
export declare function shownFrame(line: string, codeFolder: string): string | undefined;
/** @returns a text in which paths of the folder are relative to it */
export declare function withoutFolder(text: string, codeFolder: string): string;
