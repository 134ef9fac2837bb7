// Finds the subschemas that apply to a value, or to a part of it. It does not validate: a branch that the value does not take
// applies too, and so does a pattern that cannot be compared safely. For secrets that is the safe error.
import { isJsonObject, ownMember } from '../lib/json.js';
import { listIn, referred } from './keywords.js';
/** @returns what applies to the same value: branches, conditions, the target of `$ref` */
export function included(root, schema) {
    const { allOf, anyOf, oneOf, dependentSchemas, $ref } = schema;
    return [
        ...[allOf, anyOf, oneOf].flatMap(listIn),
        ...[schema['if'], schema['then'], schema['else'], referred(root, $ref)],
        ...namesIn(dependentSchemas).map((each) => ownMember(dependentSchemas, each)),
    ];
}
export function ofMember(schema, name) {
    const named = ownMember(schema['properties'], name);
    const text = anchored(name);
    const matching = patternsIn(schema).filter((each) => !isPlain(each) || text.includes(each));
    const isSure = named !== undefined || matching.some(isPlain);
    return [
        named,
        ...matching.map((each) => ownMember(schema['patternProperties'], each)),
        ...(isSure ? [] : [schema['additionalProperties'], schema['unevaluatedProperties']]),
    ];
}
export function ofItem(schema, index) {
    const { contains, prefixItems, items, unevaluatedItems } = schema;
    const first = listIn(prefixItems)[index];
    return [contains, ...(first === undefined ? [items, unevaluatedItems] : [first])];
}
export function patternsIn({ patternProperties }) {
    return namesIn(patternProperties);
}
export function namesIn(value) {
    return isJsonObject(value) ? Object.keys(value) : [];
}
const plain = /^\^?[\w-]*\$?$/;
/** A tenant's pattern may run for hours. Plain ones are compared as text; any other may match. */
export function isPlain(pattern) {
    return plain.test(pattern);
}
/** @returns a text that contains a plain pattern exactly when the pattern matches the name */
export function anchored(name) {
    return `^${name.replace(/[$^]/g, ' ')}$`;
}
