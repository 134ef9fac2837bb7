import { type JsonObject } from '../lib/json.js';
/** @returns what applies to the same value: branches, conditions, the target of `$ref` */
export declare function included(root: JsonObject, schema: JsonObject): readonly unknown[];
export declare function ofMember(schema: JsonObject, name: string): readonly unknown[];
export declare function ofItem(schema: JsonObject, index: number): readonly unknown[];
export declare function patternsIn({ patternProperties }: JsonObject): readonly string[];
export declare function namesIn(value: unknown): readonly string[];
/** A tenant's pattern may run for hours. Plain ones are compared as text; any other may match. */
export declare function isPlain(pattern: string): boolean;
/** @returns a text that contains a plain pattern exactly when the pattern matches the name */
export declare function anchored(name: string): string;
