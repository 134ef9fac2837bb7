type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject;
export interface JsonObject {
    readonly [key: string]: JsonValue;
}
/** @returns compact JSON with the keys of every object in code-unit order. `-0` becomes `0`. */
export declare function canonicalJson(value: JsonValue | undefined): string;
/** @returns the value of a JSON text; undefined when it is none */
export declare function jsonIn(text: string): JsonValue | undefined;
/** @returns a member that an object has itself; undefined when it has none, and when it is no object */
export declare function ownMember(value: unknown, name: string): JsonValue | undefined;
/** @returns the object as JSON has it: without the members that are undefined. */
export declare function withoutUndefined<Value extends object>(value: Value): Value;
/** @returns the record without the names whose value is undefined */
export declare function definedOnly<Value>(record: Readonly<Record<string, Value | undefined>>): Record<string, Value>;
/** @returns the object with the members of those names only */
export declare function pick<Value extends object, Name extends keyof Value>(value: Value, names: readonly Name[]): Pick<Value, Name>;
/**
 * It sets no member by assignment: `__proto__` is a legal name in JSON.
 * @returns the object with what its members become; the object itself when none changes
 */
export declare function mapMembers(object: JsonObject, change: (value: JsonValue, name: string) => JsonValue): JsonObject;
/** @returns the size of the compact UTF-8 text of a value, in bytes. */
export declare function jsonBytes(value: unknown): number;
/** @returns true for an object, false for a list, null and everything else */
export declare function isJsonObject(value: unknown): value is JsonObject;
export declare function isJsonArray(value: unknown): value is readonly JsonValue[];
/** @returns the JSON Pointer (RFC 6901) of a member */
export declare function pointer(path: string, name: string): string;
/** @returns the names in a JSON Pointer, from the root on */
export declare function pointerNames(path: string): readonly string[];
/** @returns the part of a value at a JSON Pointer; undefined when there is none. Reads own members only. */
export declare function atPointer(value: JsonValue | undefined, path: string): JsonValue | undefined;
/** A place in a value: its key, and the place that it is in. */
export interface ValueStep {
    readonly parent: ValueStep | undefined;
    readonly key: string | number;
}
/** @returns the keys from the root on */
export declare function stepPath(step: ValueStep | undefined): readonly (string | number)[];
/** @returns the texts of a list; none for anything else */
export declare function textItems(value: unknown): readonly string[];
export {};
