// Finds the secrets in a value. A schema marks them with `writeOnly`, `sensitive` or the format `password`; what an earlier schema
// marked is recorded as places.
import { isJsonArray, isJsonObject, pointer, } from '../../lib/json.js';
import { drawnIn, isSecret, ofItem, ofMember } from '../schemas/applying-schemas.js';
import { maskedValue } from './mask-text.js';
/** @returns the marks of a value to which no other schemas than these ever applied */
export function marksOf(schemas) {
    return { schemas: schemas && [schemas].flat(), places: [], isRecorded: true };
}
/** @returns false when no value can have a secret */
export function mayHide({ schemas, places }) {
    return schemas === undefined || places.length > 0 || schemas.some(marksSecrets);
}
/** @returns the value with `[masked]` in place of everything secret */
export function mask(marks, value) {
    return walk(marks, value, () => maskedValue);
}
/** @returns every text and number in the parts that `mask` replaces, as texts to search for */
export function secretsIn(marks, value) {
    const found = new Set();
    walk(marks, value, (secret) => {
        for (const text of textsIn(secret))
            found.add(text);
        return secret;
    });
    return [...found];
}
/** A schema that needs more steps is an attack; everything not visited by then counts as secret. */
const maxSteps = 100_000;
/** @returns the value with a replacement for everything secret */
export function walk(marks, value, replace) {
    if (!mayHide(marks))
        return value;
    const { schemas, places, isRecorded } = marks;
    if (schemas !== undefined && !places.includes('')) {
        // One that marks nothing matters only for what it describes.
        const marking = isRecorded ? schemas.filter(marksSecrets) : schemas;
        return createWalk(marking, marks, replace)(value);
    }
    if (!isJsonObject(value))
        return replace(value, '');
    return mapped(value, (member, name) => replace(member, pointer('', name)));
}
function createWalk(roots, { places, isRecorded }, replace) {
    const recorded = new Set(places);
    const hidesUndescribed = !isRecorded && roots.some(marksSecrets);
    let steps = 0;
    const isSecretAt = (layers, path) => recorded.has(path) ||
        (hidesUndescribed && layers.every((applying) => applying.size === 0)) ||
        layers.some((applying) => [...applying].some(isSecret));
    const within = (layers, value, path) => {
        steps += layers.reduce((sum, applying) => sum + applying.size, 1);
        if (steps > maxSteps || isSecretAt(layers, path))
            return replace(value, path);
        const next = (said, part, name) => {
            const at = pointer(path, name);
            if (steps > maxSteps)
                return replace(part, at);
            const below = roots.map((root, index) => {
                const schemas = said(layers[index] ?? new Set());
                steps += schemas.length;
                return drawnIn(root, schemas);
            });
            return within(below, part, at);
        };
        if (isJsonArray(value)) {
            return value.map((item, index) => next((applying) => ofItem(applying, index), item, `${index}`));
        }
        if (!isJsonObject(value))
            return value;
        return mapped(value, (member, name) => next((applying) => ofMember(applying, name), member, name));
    };
    const whole = roots.map((root) => drawnIn(root, [root]));
    return (value) => within(whole, value, '');
}
// Uses entries instead of assignments: `__proto__` is a legal name in JSON.
function mapped(object, change) {
    return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
}
/** @returns the texts in a value, and its numbers of four digits or more as text */
export function* textsIn(value) {
    const waiting = [value];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (typeof next === 'string')
            yield next;
        else if (typeof next === 'number')
            yield* digitsOf(next);
        else if (typeof next === 'object' && next !== null)
            waiting.push(...Object.values(next));
    }
}
const minDigits = 4;
/** Without the sign: a text may set it apart, or leave it out. */
function digitsOf(number) {
    const text = JSON.stringify(Math.abs(number));
    return text.replace(/e.*|\D/g, '').length >= minDigits ? [text] : [];
}
const known = new WeakMap();
/** @returns whether anything in a schema marks a secret; computed once for each schema, which is never mutated */
export function marksSecrets(schema) {
    const before = known.get(schema);
    if (before !== undefined)
        return before;
    const found = hasMark(schema);
    known.set(schema, found);
    return found;
}
function hasMark(schema) {
    const waiting = [schema];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (typeof next !== 'object' || next === null)
            continue;
        if (isJsonObject(next) && isSecret(next))
            return true;
        for (const each of Object.values(next))
            waiting.push(each);
    }
    return false;
}
