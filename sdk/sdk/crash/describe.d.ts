export interface Description {
    /** One line of at most 512 characters without the folder of the code, such as `Error: Boom (index.ts:15)`. */
    readonly message: string;
    /** With the stack and the causes, as Node prints it. */
    readonly full: string;
}
/** @param codeFolder the folder of the author's code, without symbolic links */
export declare function describe(thrown: unknown, codeFolder: string): Description;
