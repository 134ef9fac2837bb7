// Finds the subschemas that apply to a part of a value. It does not validate: a branch that the value does not take applies
// too, and so does a pattern that cannot be compared safely. For secrets that is the safe error.
import { isJsonArray, isJsonObject } from '../lib/json.js';
const branches = ['allOf', 'anyOf', 'oneOf'];
const conditions = ['if', 'then', 'else'];
/** @returns the schema itself and those it includes: branches, conditions, references to `#…` */
export function drawnIn(root, schemas) {
    const found = new Set();
    const waiting = [...schemas];
    while (waiting.length > 0) {
        const schema = waiting.pop();
        if (!isJsonObject(schema) || found.has(schema))
            continue;
        found.add(schema);
        for (const keyword of branches)
            waiting.push(...listIn(own(schema, keyword)));
        for (const keyword of conditions)
            waiting.push(own(schema, keyword));
        waiting.push(...membersOf(own(schema, 'dependentSchemas')));
        waiting.push(referred(root, own(schema, '$ref')));
    }
    return found;
}
/** @returns the schemas for one member of an object */
export function ofMember(applying, name) {
    return [...applying].flatMap((schema) => {
        const named = own(own(schema, 'properties'), name);
        const patterns = Object.entries(objectOr(own(schema, 'patternProperties')));
        const matching = patterns.filter(([pattern]) => mayMatch(pattern, name));
        const said = [...matching.map(([, each]) => each), ...(named === undefined ? [] : [named])];
        const surely = named !== undefined || matching.some(([pattern]) => isPlain(pattern));
        if (surely)
            return said;
        return [...said, own(schema, 'additionalProperties'), own(schema, 'unevaluatedProperties')];
    });
}
/** @returns the schemas for one item of a list */
export function ofItem(applying, index) {
    return [...applying].flatMap((schema) => {
        const first = listIn(own(schema, 'prefixItems'))[index];
        const rest = ['items', 'unevaluatedItems'].map((keyword) => own(schema, keyword));
        return [own(schema, 'contains'), ...(first === undefined ? rest : [first])];
    });
}
/** @returns whether the schema itself marks its values as secret */
export function isSecret(schema) {
    return (own(schema, 'writeOnly') === true ||
        own(schema, 'sensitive') === true ||
        own(schema, 'format') === 'password');
}
export function own(value, name) {
    return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
function objectOr(value) {
    return isJsonObject(value) ? value : {};
}
function membersOf(value) {
    return Object.values(objectOr(value));
}
export function listIn(value) {
    return isJsonArray(value) ? value : [];
}
/** @returns the target of `#/$defs/a` */
export function referred(root, ref) {
    if (typeof ref !== 'string' || !ref.startsWith('#'))
        return undefined;
    let found = root;
    for (const part of ref.split('/').slice(1)) {
        const name = unescaped(part);
        found = isJsonArray(found) ? found[Number(name)] : own(found, name);
    }
    return found;
}
function unescaped(part) {
    try {
        return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    }
    catch {
        return part;
    }
}
const plain = /^\^?[\w-]*\$?$/;
function isPlain(pattern) {
    return plain.test(pattern);
}
// A tenant's pattern may run for hours. Plain ones are compared as text; any other may match.
function mayMatch(pattern, name) {
    if (!isPlain(pattern))
        return true;
    const literal = pattern.replace(/^\^|\$$/g, '');
    const [start, end] = [pattern.startsWith('^'), pattern.endsWith('$')];
    if (start && end)
        return name === literal;
    if (start)
        return name.startsWith(literal);
    return end ? name.endsWith(literal) : name.includes(literal);
}
