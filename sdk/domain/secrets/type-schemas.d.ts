import type { JsonObject } from '../../lib/json.js';
export interface TypeSchemas {
    /** Of the version of now and of earlier ones: a config keeps its version. */
    readonly config: readonly JsonObject[];
    /** Likewise: outputs stay as they are until the next success. */
    readonly outputs: readonly JsonObject[];
}
type Schema = Readonly<Record<string, unknown>> | null | undefined;
/** What a type says about its values. */
interface TypeWithSchemas {
    readonly schema?: Schema;
    readonly outputsSchema?: Schema;
    readonly earlierVersions?: readonly {
        readonly schema?: Schema;
        readonly outputsSchema?: Schema;
    }[] | undefined;
}
/**
 * @returns the same object for the same type, which is never mutated
 * @example typeSchemas({ schema, outputsSchema }) // { config: [schema], outputs: [outputsSchema] }
 */
export declare function typeSchemas(type: TypeWithSchemas): TypeSchemas;
/** For what has no outputs. */
export declare function configOnly(schema: JsonObject | undefined): TypeSchemas | undefined;
export {};
