// The versions of a type: the number of its schema, the schema of its outputs, and the earlier schemas that its provider migrates
// from. Their form in JSON is the same in `POST /resources/register`, in `GET /resources/types` and in the result of a build. Pure.
import { type JsonObject, withoutUndefined } from '../lib/json.ts';

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

/** What a type declares about its versions. */
export interface TypeVersions {
  /** Absent: 1. */
  readonly typeVersion?: number | undefined;
  /** JSON Schema of the outputs of the newest version. */
  readonly outputsSchema?: JsonObject | undefined;
  readonly earlierVersions?: readonly EarlierVersion[] | undefined;
}

export interface EarlierVersionBody {
  readonly type_version: number;
  readonly schema: JsonObject;
  readonly outputs_schema?: JsonObject | undefined;
}

export interface TypeVersionsBody {
  readonly type_version?: number | undefined;
  readonly outputs_schema?: JsonObject | undefined;
  readonly earlier_versions?: readonly EarlierVersionBody[] | undefined;
}

type Given = { readonly [Member in keyof TypeVersionsBody]: TypeVersionsBody[Member] | null };

/** @param body where null, version 1, an empty list and an absent member mean the same */
export function typeVersionsIn({
  type_version,
  outputs_schema,
  earlier_versions,
}: Given): TypeVersions {
  return withoutUndefined({
    typeVersion: type_version === firstTypeVersion ? undefined : (type_version ?? undefined),
    outputsSchema: outputs_schema ?? undefined,
    earlierVersions: earlier_versions?.length ? earlier_versions.map(earlierIn) : undefined,
  });
}

function earlierIn({ type_version, schema, outputs_schema }: EarlierVersionBody): EarlierVersion {
  return withoutUndefined({
    typeVersion: type_version,
    schema,
    outputsSchema: outputs_schema,
  });
}

/** @returns the versions that a type migrates from, in JSON */
export function earlierVersionsBody({
  earlierVersions = [],
}: Pick<TypeVersions, 'earlierVersions'>): EarlierVersionBody[] {
  return earlierVersions.map(({ typeVersion, schema, outputsSchema }) =>
    withoutUndefined({ type_version: typeVersion, schema, outputs_schema: outputsSchema }),
  );
}

/** @returns where a declaration breaks the rule of its versions, and how; undefined when it does not */
export function versionsProblem({
  type_version,
  earlier_versions,
}: Given): { readonly at: number; readonly problem: string } | undefined {
  const newest = type_version ?? firstTypeVersion;
  const earlier = (earlier_versions ?? []).map((each) => each.type_version);
  const at = earlier.findIndex(
    (version, index) => version >= newest || earlier.indexOf(version) !== index,
  );
  if (at < 0) return undefined;
  const problem = `Input should be a version below type_version, which is ${newest}, and different from the others`;
  return { at, problem };
}
