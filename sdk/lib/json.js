// JSON types and canonical JSON text: keys are sorted, so that equal values have equal texts.
/** @returns compact JSON with the keys of every object in code-unit order. `-0` becomes `0`. */
export function canonicalJson(value) {
    if (value === undefined || value === null)
        return 'null';
    if (typeof value !== 'object')
        return JSON.stringify(value);
    if (isJsonArray(value))
        return `[${value.map(canonicalJson).join(',')}]`;
    const members = Object.keys(value)
        .filter((key) => value[key] !== undefined)
        .sort()
        .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
    return `{${members.join(',')}}`;
}
/** @returns the value of a JSON text; undefined when it is none */
export function jsonIn(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
/** @returns a member that an object has itself; undefined when it has none, and when it is no object */
export function ownMember(value, name) {
    return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
/** @returns the object as JSON has it: without the members that are undefined. */
export function withoutUndefined(value) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return Object.fromEntries(members);
}
/** @returns the record without the names whose value is undefined */
export function definedOnly(record) {
    const entries = Object.entries(record).filter((entry) => entry[1] !== undefined);
    return Object.fromEntries(entries);
}
/** @returns the object with the members of those names only */
export function pick(value, names) {
    const members = names.filter((name) => name in value).map((name) => [name, value[name]]);
    return Object.fromEntries(members);
}
/**
 * It sets no member by assignment: `__proto__` is a legal name in JSON.
 * @returns the object with what its members become; the object itself when none changes
 */
export function mapMembers(object, change) {
    const before = Object.entries(object);
    const after = before.map(([name, value]) => [name, change(value, name)]);
    const isChanged = after.some(([, value], at) => value !== before[at]?.[1]);
    return isChanged ? Object.fromEntries(after) : object;
}
/** @returns the size of the compact UTF-8 text of a value, in bytes. */
export function jsonBytes(value) {
    return Buffer.byteLength(JSON.stringify(value) ?? '');
}
/** @returns true for an object, false for a list, null and everything else */
export function isJsonObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
export function isJsonArray(value) {
    return Array.isArray(value);
}
/** @returns the JSON Pointer (RFC 6901) of a member */
export function pointer(path, name) {
    const isPlain = !(name.includes('~') || name.includes('/'));
    return `${path}/${isPlain ? name : name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
/** @returns the names in a JSON Pointer, from the root on */
export function pointerNames(path) {
    return path
        .split('/')
        .slice(1)
        .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
/** @returns the part of a value at a JSON Pointer; undefined when there is none. Reads own members only. */
export function atPointer(value, path) {
    return pointerNames(path).reduce((part, name) => (isJsonArray(part) ? part[Number(name)] : ownMember(part, name)), value);
}
/** @returns the keys from the root on */
export function stepPath(step) {
    const path = [];
    for (let at = step; at !== undefined; at = at.parent)
        path.push(at.key);
    return path.reverse();
}
/** @returns the texts of a list; none for anything else */
export function textItems(value) {
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
