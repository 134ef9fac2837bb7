import { type JsonObject, type JsonValue } from '../../lib/json.js';
/** Every schema that may apply to one value. */
export type Applying = ReadonlySet<JsonObject>;
/** @returns the schema itself and those it includes: branches, conditions, references to `#…` */
export declare function drawnIn(root: JsonObject, schemas: Iterable<unknown>): Applying;
/** @returns the schemas for one member of an object */
export declare function ofMember(applying: Applying, name: string): readonly unknown[];
/** @returns the schemas for one item of a list */
export declare function ofItem(applying: Applying, index: number): readonly unknown[];
/** @returns whether the schema itself marks its value as one that a resource keeps */
export declare function isImmutable(schema: JsonObject): boolean;
/** @returns whether the schema itself marks its values as secret */
export declare function isSecret(schema: JsonObject): boolean;
export declare function listIn(value: unknown): readonly JsonValue[];
/** @returns the target of `#/$defs/a` */
export declare function referred(root: JsonObject, ref: unknown): unknown;
