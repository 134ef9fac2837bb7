/**
 * The patterns of zod for duration(), hostname() and emoji(), with lookaheads. Exactly these texts run in the engine of
 * JavaScript: each was reviewed, and none can backtrack over more than a bounded length.
 */
export declare const reviewedPatterns: ReadonlySet<string>;
/** @returns why builds refuse a pattern; undefined when only the engine can tell */
export declare function patternSyntaxProblem(pattern: string): string | undefined;
export declare function patternRefusal(pattern: string, reason: string): string;
