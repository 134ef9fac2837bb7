import { type JsonObject } from '../../lib/json.js';
/** Names of members, from the config down to the field. */
export type FieldPath = readonly string[];
/** A schema, and its JSON Pointer. */
export interface SchemaPlace {
    readonly schema: JsonObject;
    readonly at: string;
}
export interface SchemaPart extends SchemaPlace {
    readonly keyword: string;
    /** Its name or number below the keyword. */
    readonly name: string;
}
/** Schemas that refer twice to the next one, thirty times, name a billion fields in 2 kB. */
export declare const maxFields = 1000;
/** The walk is recursive. Configs are not as deep. */
export declare const maxDepth = 100;
/**
 * @returns the paths of the fields that a schema marks, in its order, without those below another one; computed once for each
 * schema, which is never mutated
 * @example
 * ```ts
 * immutableFields({ properties: { place: { properties: { zone: { immutable: true } } } } }); // [['place', 'zone']]
 * ```
 */
export declare function immutableFields(schema: JsonObject | undefined): readonly FieldPath[];
/** @returns the schemas directly inside a schema that may have marks */
type PartsOf = (place: SchemaPlace) => readonly SchemaPart[];
/** @param reason a keyword below which no mark works, or why the fields below a schema cannot be visited */
type Refuse = (place: SchemaPlace, reason: string, path: FieldPath) => void;
/** Visits only what has marks: the rest of a schema may be as large, and refer to itself, as it likes. */
export declare class ImmutableWalk {
    #private;
    readonly fields: FieldPath[];
    readonly marking: ReadonlySet<JsonObject>;
    /** @param partsOf finds the schemas in a schema that may have marks */
    constructor(root: JsonObject, partsOf: PartsOf, refuse: Refuse);
}
export declare function targetOf(root: JsonObject, schema: JsonObject): readonly SchemaPlace[];
/** Whether it says anything but that its value may change. */
export declare function hasMark(schema: JsonObject): boolean;
export {};
