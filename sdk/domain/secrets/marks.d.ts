import { type JsonObject, type JsonValue } from '../../lib/json.js';
/** The schemas and places that decide which parts of a value are secret. */
export interface Marks {
    /** Secret is what one of them marks. Undefined when those of the type are unknown, and then every member is secret. */
    readonly schemas: readonly JsonObject[] | undefined;
    /** JSON Pointers of values that were secret when the value was applied; the empty one stands for all. */
    readonly places: readonly string[];
    /**
     * False when nobody recorded which places were secret. A value that no schema describes is secret then, if one of them marks
     * anything: an earlier one may have described and marked it.
     */
    readonly isRecorded: boolean;
}
/** @returns the marks of a value to which no other schemas than these ever applied */
export declare function marksOf(schemas: JsonObject | readonly JsonObject[] | undefined): Marks;
/** @returns false when no value can have a secret */
export declare function mayHide({ schemas, places }: Marks): boolean;
/** @returns the value with `[masked]` in place of everything secret */
export declare function mask(marks: Marks, value: JsonValue, budget?: import("../../lib/budget.ts").Budget): JsonValue;
/** @returns every text and number in the parts that `mask` replaces, as texts to search for */
export declare function secretsIn(marks: Marks, value: JsonValue, budget?: import("../../lib/budget.ts").Budget): readonly string[];
/** @param path the JSON Pointer of the secret (RFC 6901) */
type Replace = (secret: JsonValue, path: string) => JsonValue;
/**
 * @param budget when it is spent, everything that is not visited yet counts as secret; so does what has too long a path
 * @returns the value with a replacement for everything secret
 */
export declare function walk(marks: Marks, value: JsonValue, replace: Replace, budget?: import("../../lib/budget.ts").Budget): JsonValue;
/** @returns the texts in a value, and its numbers of four digits or more as text */
export declare function textsIn(value: JsonValue): Iterable<string>;
/** @returns whether anything in a schema marks a secret; computed once for each schema, which is never mutated */
export declare function marksSecrets(schema: JsonObject): boolean;
export {};
