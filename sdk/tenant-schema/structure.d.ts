import { type JsonObject, type JsonValue } from '../lib/json.js';
export type Loc = readonly (string | number)[];
/** A subschema applies to the same value as the enclosing schema, to a part of it, or to nothing until referenced. */
type Judges = 'same' | 'part' | 'nothing';
export interface Applicator {
    readonly holds: 'schema' | 'schemaList' | 'schemaMap';
    readonly judges: Judges;
}
interface Subschema {
    readonly schema: JsonValue;
    /** The path from the enclosing schema. */
    readonly step: readonly [keyword: string, ...name: (string | number)[]];
    readonly judges: Judges;
}
/** The keywords of JSON Schema 2020-12 whose values are schemas. */
export declare const applicators: Readonly<Record<string, Applicator>>;
/** @returns the schema a `$ref` refers to; undefined when it is not local or refers to nothing */
export declare function referenced(root: JsonObject, ref: string): JsonValue | undefined;
/** @returns the schemas directly inside a schema; what is not well-formed has none */
export declare function subschemas(schema: JsonObject): readonly Subschema[];
interface SchemaAt {
    readonly schema: JsonValue;
    readonly loc: Loc;
}
/** @returns a well-formed schema and every schema inside it, in the order of its text */
export declare function everySchema(root: JsonObject): Iterable<SchemaAt>;
export {};
