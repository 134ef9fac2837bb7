import { canonicalJson, isJsonArray, isJsonObject, ownMember, } from '../../lib/json.js';
import { migrated } from './migrate.js';
/**
 * @returns the values of the migrated config that are the same without the defaults of earlier versions; when a step cannot do
 * without them, those that no step changes
 * @throws TerminalFailure `migration_failed`
 */
export function migratedDeclared(type, stored) {
    const whole = jsonOf(migrated(type, stored).value);
    return (common(whole, jsonOf(withoutDefaults(type, stored))) ?? {});
}
function withoutDefaults(type, stored) {
    try {
        return migrated(type, stored, fittingDeclared).value;
    }
    catch {
        return stored.value;
    }
}
/** Values without a default need not fit. */
function fittingDeclared(schema, { value }) {
    const { success, data } = schema.safeParse(value);
    return success ? membersOf(data, value) : value;
}
/** @returns a parsed value without the members that the value before lacks */
function membersOf(parsed, given) {
    if (Array.isArray(parsed) && Array.isArray(given)) {
        return parsed.map((item, index) => membersOf(item, given[index]));
    }
    if (!(isJsonObject(parsed) && isJsonObject(given)))
        return parsed;
    const own = Object.entries(parsed).filter(([name]) => Object.hasOwn(given, name));
    return Object.fromEntries(own.map(([name, each]) => [name, membersOf(each, given[name])]));
}
/** Steps may return `undefined` members, and values that become others in JSON. */
function jsonOf(value) {
    return JSON.parse(JSON.stringify(value));
}
/** @returns the part of two values that is the same in both; of lists all or nothing, undefined for nothing */
function common(one, other) {
    if (isJsonObject(one) && isJsonObject(other))
        return commonMembers(one, other);
    if (!(isJsonArray(one) && isJsonArray(other))) {
        return canonicalJson(one) === canonicalJson(other) ? one : undefined;
    }
    const items = one.map((item, index) => common(item, other[index]));
    const isWhole = one.length === other.length && items.every((each) => each !== undefined);
    return isWhole ? items : undefined;
}
function commonMembers(one, other) {
    return Object.fromEntries(Object.entries(one).flatMap(([name, each]) => {
        const value = common(each, ownMember(other, name));
        return value === undefined ? [] : [[name, value]];
    }));
}
