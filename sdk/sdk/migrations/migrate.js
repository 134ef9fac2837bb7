import { migrationFailed } from '../../domain/event.js';
import { firstTypeVersion } from '../../domain/type-version.js';
import { issueText, thrownText } from '../failure-text.js';
import { TerminalFailure } from '../outcome.js';
export function versionOf({ version = firstTypeVersion }) {
    return version;
}
/**
 * @returns the value as the newest schema takes it, not checked by that schema yet
 * @throws TerminalFailure `migration_failed`, which names step and field
 */
export function migrated(type, { side, what, version, value }, fits = fitting) {
    const steps = stepsFrom(type, version);
    let misfit = steps.length === 0
        ? unmigratedText(type, { what, version })
        : `The ${what} of version ${version} does not fit the schema of its migration`;
    let current = value;
    for (const step of steps) {
        const name = `The migration of the ${what} from version ${step.from} to ${step.from + 1}`;
        current = stepped(step[memberOf[side]], fits(step[side], { value: current, misfit }), name);
        misfit = `${name} returned a value that does not fit`;
    }
    return { value: current, misfit };
}
/** @throws TerminalFailure `migration_failed` */
export function fitting(schema, { value, misfit }) {
    const parsed = schema.safeParse(value);
    if (parsed.success)
        return parsed.data;
    throw new TerminalFailure(migrationFailed, `${misfit}: ${issueText(parsed.error)}`);
}
/** As people write it, a reference stands where a value will be, and is not judged: only Fairlead resolves it. */
function fittingUnresolved(schema, { value, misfit }) {
    const { success, error } = schema.safeParse(value);
    const isOpen = ({ code, path }) => code !== 'unrecognized_keys' && hasReference(path.reduce(memberAt, value));
    return success || !error.issues.every(isOpen) ? fitting(schema, { value, misfit }) : value;
}
function hasReference(value) {
    return value !== undefined && JSON.stringify(value).includes('$' + '{');
}
function memberAt(value, step) {
    return typeof value === 'object' && value !== null ? value[step] : undefined;
}
/**
 * @param stored a config of an earlier version, or of the newest one
 * @returns the config of the newest version as people write it
 * @throws TerminalFailure `migration_failed`, which names step and field
 */
export function migratedConfig(type, { version, config }) {
    const stored = { side: 'config', what: 'config', version, value: config };
    const result = migrated(type, stored, fittingUnresolved);
    fittingUnresolved(type.config, result);
    return result.value;
}
const memberOf = { config: 'migrateConfig', outputs: 'migrateOutputs' };
/** Returns whether migrations lead from a version to the newest one. */
export function leadsFrom(type, version) {
    return stepsFrom(type, version).length > 0;
}
/** None when the migrations do not begin at the version: a step takes only values of its own. */
function stepsFrom({ migrations = [] }, version) {
    const at = migrations.findIndex(({ from }) => from === version);
    return at < 0 ? [] : migrations.slice(at);
}
function unmigratedText(type, { what, version }) {
    const newest = versionOf(type);
    if (version === newest)
        return `The ${what} does not fit`;
    const misfit = `The ${what} of version ${version} does not fit version ${newest} of type ${type.name}`;
    return version > newest
        ? `${misfit}, which serves now`
        : `${misfit}, and no migration leads there`;
}
function stepped(step, value, name) {
    try {
        return step(value);
    }
    catch (thrown) {
        const said = thrownText(thrown, 'It');
        throw new TerminalFailure(migrationFailed, `${name} failed: ${said}`);
    }
}
