// The versions of a type: the number of its schema, the schema of its outputs, and the earlier schemas that its provider migrates
// from. Their form in JSON is the same in `POST /resources/register`, in `GET /resources/types` and in the result of a build. Pure.
import { type JsonObject, withoutUndefined } from '../lib/json.ts';
import type { ObjectIdentity } from './objects/identity.ts';

/** The version of a type that declares none, and of what was stored before types had versions. */
export const firstTypeVersion = 1;
export const maxTypeVersion = 1_000;
/** The most versions that a type may migrate from. */
export const maxEarlierVersions = 20;

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
  /** Where outputs and `adopt` have what tells objects apart. */
  readonly identity?: ObjectIdentity | undefined;
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
  readonly identity?: ObjectIdentity | undefined;
  readonly earlier_versions?: readonly EarlierVersionBody[] | undefined;
}

type GivenTypeVersions = {
  readonly [Member in keyof TypeVersionsBody]: TypeVersionsBody[Member] | null;
};

/** @param body where null, version 1, an empty list and an absent member mean the same */
export function typeVersionsIn({
  type_version,
  outputs_schema,
  adopt_schema,
  earlier_versions,
}: GivenTypeVersions): TypeVersions {
  return withoutUndefined({
    typeVersion: storedVersion(type_version ?? undefined),
    outputsSchema: outputs_schema ?? undefined,
    adoptSchema: adopt_schema ?? undefined,
    earlierVersions: earlier_versions?.length ? earlier_versions.map(earlierIn) : undefined,
  });
}

/** As `typeVersionsIn`, with the identity, of which the pages of the console need nothing. */
export function identifiedVersionsIn(given: GivenTypeVersions): TypeVersions {
  const { identity } = given;
  return { ...typeVersionsIn(given), ...(identity == null ? {} : { identity }) };
}

function earlierIn({ type_version, schema, outputs_schema }: EarlierVersionBody): EarlierVersion {
  return withoutUndefined({
    typeVersion: type_version,
    schema,
    outputsSchema: outputs_schema,
  });
}

/** @returns where a declaration breaks the rule of its versions, and how; undefined when it does not */
export function versionsProblem({
  type_version,
  earlier_versions,
}: GivenTypeVersions): { readonly at: number; readonly problem: string } | undefined {
  const newest = type_version ?? firstTypeVersion;
  const earlier = (earlier_versions ?? []).map((each) => each.type_version);
  const at = earlier.findIndex(
    (version, index) => version >= newest || earlier.indexOf(version) !== index,
  );
  if (at < 0) return undefined;
  const problem = `Input should be a version below type_version, which is ${newest}, and different from the others`;
  return { at, problem };
}

export function isTypeVersion(value: unknown): value is number {
  const version = Number.isInteger(value) ? Number(value) : 0;
  return version >= firstTypeVersion && version <= maxTypeVersion;
}

/** @returns a version as it is stored: the first one is absent */
export function storedVersion(version: number | undefined): number | undefined {
  return version === firstTypeVersion ? undefined : version;
}

type Versions = Pick<TypeVersions, 'typeVersion' | 'earlierVersions'>;

/** @returns the versions whose configs a type accepts, the newest first */
export function acceptedVersions({ typeVersion, earlierVersions }: Versions): number[] {
  const newest = typeVersion ?? firstTypeVersion;
  const earlier = (earlierVersions ?? []).map((each) => each.typeVersion);
  return [newest, ...earlier.filter((each) => each < newest).sort((one, other) => other - one)];
}

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
export function schemaForVersion(type: TypeWithSchemas, version: number): DecidingSchema {
  const { typeVersion = firstTypeVersion, earlierVersions = [] } = type;
  const isEarlier = version < typeVersion;
  const earlier = earlierVersions.find((each) => isEarlier && each.typeVersion === version);
  return earlier ?? { typeVersion, schema: type.schema ?? undefined };
}
