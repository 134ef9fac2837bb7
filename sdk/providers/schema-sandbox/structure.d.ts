import { type JsonObject, type JsonValue } from '../../lib/json.js';
export type Loc = readonly (string | number)[];
export interface Subschema {
    readonly schema: JsonValue;
    /** The path from the enclosing schema. */
    readonly step: Loc;
    /** Applies to the same value as the enclosing schema, to a part of it, or to nothing until referenced. */
    readonly judges: 'same' | 'part' | 'nothing';
}
/** @returns the schema a `$ref` refers to; undefined when it is not local or refers to nothing */
export declare function referenced(root: JsonObject, ref: string): JsonValue | undefined;
/** @returns the schemas directly inside a well-formed schema */
export declare function subschemas(schema: JsonObject): readonly Subschema[];
/** @returns the path of each schema inside a well-formed schema */
export declare function placesIn(root: JsonObject): ReadonlyMap<JsonValue, Loc>;
