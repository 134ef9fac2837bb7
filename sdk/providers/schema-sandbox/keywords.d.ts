import type { JsonValue } from '../../lib/json.js';
/** Applies to the same value as the enclosing schema, or to a part of that value. */
type Judges = 'same' | 'part';
export type KeywordRule = {
    readonly holds: 'schema' | 'schemaList' | 'schemaMap';
    readonly judges: Judges;
} | {
    readonly holds: 'patternMap';
    readonly judges: 'part';
} | {
    readonly holds: 'definitions';
} | {
    readonly holds: 'reference';
} | {
    readonly holds: 'pattern';
} | {
    readonly holds: 'value';
    readonly problem: (value: JsonValue) => string | undefined;
};
export declare const schemaBounds: {
    readonly bytes: number;
    /** Nested schemas, including the outermost one. */
    readonly depth: 20;
    readonly schemas: 2000;
    /** Members of one `properties`, `$defs`, `required` … */
    readonly names: 300;
    readonly branches: 50;
    readonly enumValues: 500;
    readonly patternLength: 1024;
    /** Schemas that apply to one value after all references are followed. */
    readonly expansion: 10000;
};
/** @returns the rule of a keyword, undefined when it is not supported */
export declare function ruleOf(keyword: string): KeywordRule | undefined;
export declare function keywordRefusal(keyword: string): string;
export {};
