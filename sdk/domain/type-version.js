// The versions of a type: the number of its schema, the schema of its outputs, and the earlier schemas that its provider migrates
// from. Their form in JSON is the same in `POST /resources/register`, in `GET /resources/types` and in the result of a build. Pure.
import { withoutUndefined } from '../lib/json.js';
/** The version of a type that declares none, and of what was stored before types had versions. */
export const firstTypeVersion = 1;
export const maxTypeVersion = 1_000;
/** The most versions that a type may migrate from. */
export const maxEarlierVersions = 20;
/** @param body where null, version 1, an empty list and an absent member mean the same */
export function typeVersionsIn({ type_version, outputs_schema, adopt_schema, earlier_versions, }) {
    return withoutUndefined({
        typeVersion: storedVersion(type_version ?? undefined),
        outputsSchema: outputs_schema ?? undefined,
        adoptSchema: adopt_schema ?? undefined,
        earlierVersions: earlier_versions?.length ? earlier_versions.map(earlierIn) : undefined,
    });
}
function earlierIn({ type_version, schema, outputs_schema }) {
    return withoutUndefined({
        typeVersion: type_version,
        schema,
        outputsSchema: outputs_schema,
    });
}
/** @returns the versions that a type migrates from, in JSON */
export function earlierVersionsBody({ earlierVersions = [], }) {
    return earlierVersions.map(({ typeVersion, schema, outputsSchema }) => withoutUndefined({ type_version: typeVersion, schema, outputs_schema: outputsSchema }));
}
/** @returns where a declaration breaks the rule of its versions, and how; undefined when it does not */
export function versionsProblem({ type_version, earlier_versions, }) {
    const newest = type_version ?? firstTypeVersion;
    const earlier = (earlier_versions ?? []).map((each) => each.type_version);
    const at = earlier.findIndex((version, index) => version >= newest || earlier.indexOf(version) !== index);
    if (at < 0)
        return undefined;
    const problem = `Input should be a version below type_version, which is ${newest}, and different from the others`;
    return { at, problem };
}
export function isTypeVersion(value) {
    const version = Number.isInteger(value) ? Number(value) : 0;
    return version >= firstTypeVersion && version <= maxTypeVersion;
}
/** @returns a version as it is stored: the first one is absent */
export function storedVersion(version) {
    return version === firstTypeVersion ? undefined : version;
}
/** @returns the versions whose configs a type accepts, the newest first */
export function acceptedVersions({ typeVersion, earlierVersions }) {
    const newest = typeVersion ?? firstTypeVersion;
    const earlier = (earlierVersions ?? []).map((each) => each.typeVersion);
    return [newest, ...earlier.filter((each) => each < newest).sort((one, other) => other - one)];
}
/**
 * @returns the schema of a version of a type; that of the newest version for a version from which the type does not migrate
 * @example schemaForVersion({ typeVersion: 2, schema, earlierVersions: [] }, 1) // { typeVersion: 2, schema }
 */
export function schemaForVersion(type, version) {
    const { typeVersion = firstTypeVersion, earlierVersions = [] } = type;
    const isEarlier = version < typeVersion;
    const earlier = earlierVersions.find((each) => isEarlier && each.typeVersion === version);
    return earlier ?? { typeVersion, schema: type.schema ?? undefined };
}
