import type { JsonValue } from '../../lib/json.js';
import { type Applicator } from '../../tenant-schema/structure.js';
type KeywordRule = Applicator | {
    readonly holds: 'patternMap';
    readonly judges: 'part';
} | {
    readonly holds: 'reference';
} | {
    readonly holds: 'pattern';
} | {
    readonly holds: 'value';
    readonly problem: (value: JsonValue) => string | undefined;
};
/** @returns the rule of a keyword, undefined when it is not supported */
export declare function keywordRule(keyword: string): KeywordRule | undefined;
export declare function keywordRefusal(keyword: string): string;
export {};
