// Finds the marks `immutable` of a schema that cannot work: they would be silently without effect.
import { isJsonObject, pointer } from '../../lib/json.js';
import { isImmutable } from '../../tenant-schema/keywords.js';
import { subschemas } from '../../tenant-schema/structure.js';
import { hasMark, ImmutableWalk, targetOf, } from './immutable-fields.js';
import { refusals, refusalsOfAll, refusalsOfWalk } from './immutable-refusals.js';
/**
 * @param of what the schema describes: only one of a config can have a mark
 * @returns the first mark that cannot work, with what to do instead; undefined when all of them work, and without any
 * @example
 * ```ts
 * immutableProblem({ properties: { tags: { items: { immutable: true } } } });
 * // { at: '/properties/tags/items/immutable', problem: 'Items of a list cannot be immutable: mark tags itself' }
 * ```
 */
export function immutableProblem(schema, of = 'config') {
    if (of === 'config')
        return problemOfConfig(schema);
    const at = firstMark(schema, { schema, at: '' });
    return at === undefined ? undefined : { at, problem: refusalsOfAll[of] };
}
/** @returns the schemas inside a schema but for definitions, which have an effect where `$ref` refers to them */
function schemaParts({ schema, at }) {
    return subschemas(schema).flatMap(({ schema: part, step, judges }) => {
        const [keyword, name = ''] = step;
        if (!isJsonObject(part) || judges === 'nothing')
            return [];
        return [{ keyword, name: `${name}`, schema: part, at: step.map(String).reduce(pointer, at) }];
    });
}
const known = new WeakMap();
function problemOfConfig(root) {
    const before = known.get(root);
    if (before !== undefined)
        return before.problem;
    let first;
    const walk = new ImmutableWalk(root, schemaParts, (place, reason, path) => {
        const refusal = refusals[reason] ?? refusalsOfWalk[reason];
        if (refusal === undefined)
            return;
        first ??= { at: firstMark(root, place) ?? place.at, problem: refusal(reason, path) };
    });
    const problem = oddMark(root, walk.marking) ?? first;
    known.set(root, { problem });
    return problem;
}
/** @returns the problem of a mark that is neither true nor false */
function oddMark(root, marking) {
    const odd = [...marking].find((schema) => hasMark(schema) && !isImmutable(schema));
    if (odd === undefined)
        return undefined;
    const at = firstMark(root, { schema: root, at: '' }, (schema) => schema === odd) ?? '';
    return { at, problem: "'immutable' must be true or false" };
}
/** @returns the JSON Pointer of the first mark in or below a schema */
function firstMark(root, start, isWanted = hasMark) {
    const seen = new Set();
    const waiting = [start];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const { schema, at } = next;
        if (seen.has(schema))
            continue;
        seen.add(schema);
        if (isWanted(schema))
            return pointer(at, 'immutable');
        waiting.push(...[...schemaParts(next), ...targetOf(root, schema)].reverse());
    }
    return undefined;
}
