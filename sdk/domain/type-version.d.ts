import { type JsonObject } from '../lib/json.js';
/** The version of a type that declares none, and of what was stored before types had versions. */
export declare const firstTypeVersion = 1;
export declare const maxTypeVersion = 1000;
/** The most versions that a type may migrate from. */
export declare const maxEarlierVersions = 20;
/** A version of a type that its provider migrates from. */
export interface EarlierVersion {
    readonly typeVersion: number;
    /** JSON Schema of its config. */
    readonly schema: JsonObject;
    /** JSON Schema of its outputs. */
    readonly outputsSchema?: JsonObject | undefined;
}
/** The declarations of a type about its versions. */
export interface TypeVersions {
    /** Absent: 1. */
    readonly typeVersion?: number | undefined;
    /** JSON Schema of the outputs of the newest version. */
    readonly outputsSchema?: JsonObject | undefined;
    /** JSON Schema of what identifies an object in an import. */
    readonly adoptSchema?: JsonObject | undefined;
    readonly earlierVersions?: readonly EarlierVersion[] | undefined;
}
interface EarlierVersionBody {
    readonly type_version: number;
    readonly schema: JsonObject;
    readonly outputs_schema?: JsonObject | undefined;
}
export interface TypeVersionsBody {
    readonly type_version?: number | undefined;
    readonly outputs_schema?: JsonObject | undefined;
    readonly adopt_schema?: JsonObject | undefined;
    readonly earlier_versions?: readonly EarlierVersionBody[] | undefined;
}
type GivenTypeVersions = {
    readonly [Member in keyof TypeVersionsBody]: TypeVersionsBody[Member] | null;
};
/** @param body where null, version 1, an empty list and an absent member mean the same */
export declare function typeVersionsIn({ type_version, outputs_schema, adopt_schema, earlier_versions, }: GivenTypeVersions): TypeVersions;
/** @returns the versions that a type migrates from, in JSON */
export declare function earlierVersionsBody({ earlierVersions, }: Pick<TypeVersions, 'earlierVersions'>): EarlierVersionBody[];
/** @returns where a declaration breaks the rule of its versions, and how; undefined when it does not */
export declare function versionsProblem({ type_version, earlier_versions, }: GivenTypeVersions): {
    readonly at: number;
    readonly problem: string;
} | undefined;
export declare function isTypeVersion(value: unknown): value is number;
/** @returns a version as it is stored: the first one is absent */
export declare function storedVersion(version: number | undefined): number | undefined;
type Versions = Pick<TypeVersions, 'typeVersion' | 'earlierVersions'>;
/** @returns the versions whose configs a type accepts, the newest first */
export declare function acceptedVersions({ typeVersion, earlierVersions }: Versions): number[];
export interface TypeWithSchemas extends Versions {
    readonly schema?: JsonObject | null | undefined;
}
export interface DecidingSchema {
    /** Version of the schema. */
    readonly typeVersion: number;
    /** Undefined: any config fits. */
    readonly schema: JsonObject | undefined;
}
/**
 * @returns the schema of a version of a type; that of the newest version for a version from which the type does not migrate
 * @example schemaForVersion({ typeVersion: 2, schema, earlierVersions: [] }, 1) // { typeVersion: 2, schema }
 */
export declare function schemaForVersion(type: TypeWithSchemas, version: number): DecidingSchema;
export {};
