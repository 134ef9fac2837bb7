import { type JsonObject, type JsonValue } from '../lib/json.js';
/** @returns whether the schema itself marks its value as one that a resource keeps */
export declare function isImmutable(schema: JsonObject): boolean;
/** @returns whether the schema itself marks its values as secret */
export declare function isSecret(schema: JsonObject): boolean;
export declare function listIn(value: unknown): readonly JsonValue[];
/** @returns the target of `#/$defs/a` */
export declare function referred(root: JsonObject, ref: unknown): unknown;
