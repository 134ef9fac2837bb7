import { type JsonObject, type JsonValue } from '../../lib/json.js';
import { type Loc } from '../../tenant-schema/structure.js';
export interface FoundPattern {
    readonly loc: Loc;
    readonly pattern: string;
}
/** A `Violation` of domain/errors, which providers do not get with the SDK. */
interface SchemaViolation {
    readonly loc: Loc;
    readonly msg: string;
    readonly type: string;
    readonly input?: JsonValue;
}
export interface Walked {
    /** At most 20; `loc` is relative to the schema. */
    readonly violations: readonly SchemaViolation[];
    readonly patterns: readonly FoundPattern[];
}
export declare const maxViolations = 20;
export declare function walkSchema(schema: JsonObject): Walked;
export {};
