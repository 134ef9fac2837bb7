// Finds the fields that a schema marks with `immutable`, and those of them that a change of the config touches. A mark works where
// every config has the field at the same path: below `properties`, `allOf` and `$ref`. Elsewhere it would be silently without
// effect, so it is a problem.
import { canonicalJson, isJsonArray, isJsonObject, ownMember, pointer, } from '../../lib/json.js';
import { isImmutable, listIn, referred } from './applying-schemas.js';
import { refusals, refusalsOfAll } from './immutable-refusals.js';
/**
 * @returns the paths of the fields that a schema marks, in its order, without those below another one; computed once for each
 * schema, which is never mutated
 * @example
 * ```ts
 * immutableFields({ properties: { place: { properties: { zone: { immutable: true } } } } }); // [['place', 'zone']]
 * ```
 */
export function immutableFields(schema) {
    return schema === undefined ? [] : surveyOf(schema).fields;
}
/**
 * @param fields what `immutableFields` returned
 * @returns those whose values differ. A field that only one of the configs has is different, too.
 * @example
 * ```ts
 * changedFields([['zone'], ['size']], { zone: 'a' }, { zone: 'a', size: 1 }); // [['size']]
 * ```
 */
export function changedFields(fields, before, after) {
    return fields.filter((path) => !isSame(valueAt(before, path), valueAt(after, path)));
}
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
        return surveyOf(schema).problem;
    const at = firstMark(schema, { schema, at: '' });
    return at === undefined ? undefined : { at, problem: refusalsOfAll[of] };
}
/** Schemas that refer twice to the next one, thirty times, name a billion fields in 2 kB. */
const maxFields = 1_000;
const maxSteps = 100_000;
/** The walk is recursive. Configs are not as deep. */
const maxDepth = 100;
const known = new WeakMap();
function surveyOf(root) {
    const before = known.get(root);
    if (before !== undefined)
        return before;
    const found = survey(root);
    known.set(root, found);
    return found;
}
function survey(root) {
    const walk = new Walk(root);
    walk.run();
    return { fields: walk.fields, problem: oddMark(root, walk.marking) ?? walk.problem };
}
/** Visits only what has marks: the rest of a schema may be as large, and refer to itself, as it likes. */
class Walk {
    fields = [];
    marking;
    problem;
    #root;
    #open = new Set();
    #steps = 0;
    constructor(root) {
        this.#root = root;
        this.marking = schemasWithMarks(root);
    }
    run() {
        this.#visit([{ schema: this.#root, at: '' }], []);
    }
    #visit(places, path) {
        const same = together(this.#root, places).filter(({ schema }) => this.marking.has(schema));
        this.#steps += same.length;
        // Whatever is marked below a field that is immutable itself is covered.
        if (path.length > 0 && same.some(isMarked))
            this.fields.push(path);
        else if (this.#mayEnter(same, path))
            this.#below(same, path);
    }
    #mayEnter(same, path) {
        const whole = same.find(isMarked);
        if (whole !== undefined) {
            this.#refuse(whole, 'The config as a whole cannot be immutable: mark its fields');
        }
        const again = same.find(({ schema }) => this.#open.has(schema));
        if (again !== undefined) {
            const why = 'Fields of a schema that refers back to itself cannot be immutable';
            this.#refuse(again, `${why}: mark ${path.join('.')} itself`);
            return false;
        }
        const isTooMuch = this.fields.length >= maxFields || this.#steps > maxSteps;
        if (!isTooMuch && path.length <= maxDepth)
            return true;
        const why = `A schema has at most ${maxFields} immutable fields, ${maxDepth} deep`;
        for (const each of same.slice(0, 1))
            this.#refuse(each, `${why}: mark the object of them`);
        return false;
    }
    #below(same, path) {
        const parts = same.flatMap(({ schema, at }) => partsOf(schema, at));
        for (const part of parts.filter(({ schema }) => this.marking.has(schema))) {
            const refusal = refusals[part.keyword];
            if (refusal !== undefined)
                this.#refuse(part, refusal(part.keyword, path));
        }
        const properties = parts.filter(({ keyword }) => keyword === 'properties');
        for (const { schema } of same)
            this.#open.add(schema);
        for (const [name, each] of Map.groupBy(properties, (part) => part.name)) {
            if (this.#steps <= maxSteps)
                this.#visit(each, [...path, name]);
        }
        for (const { schema } of same)
            this.#open.delete(schema);
    }
    #refuse(place, problem) {
        this.problem ??= { at: firstMark(this.#root, place) ?? place.at, problem };
    }
}
/** @returns the problem of a mark that is neither true nor false */
function oddMark(root, marking) {
    const odd = [...marking].find((schema) => hasMark(schema) && !isMarked({ schema }));
    if (odd === undefined)
        return undefined;
    const at = firstMark(root, { schema: root, at: '' }, (schema) => schema === odd) ?? '';
    return { at, problem: "'immutable' must be true or false" };
}
const ofMaps = ['properties', 'patternProperties', 'dependentSchemas'];
const inside = ['properties', 'allOf', ...Object.keys(refusals)];
/** @returns the schemas directly inside a schema */
function partsOf(schema, at) {
    return Object.entries(schema).flatMap(([keyword, value]) => {
        if (!inside.includes(keyword))
            return [];
        const below = pointer(at, keyword);
        if (!isJsonArray(value) && !ofMaps.includes(keyword)) {
            return isJsonObject(value) ? [{ keyword, name: '', schema: value, at: below }] : [];
        }
        return Object.entries(value ?? {}).flatMap(([name, each]) => isJsonObject(each) ? [{ keyword, name, schema: each, at: pointer(below, name) }] : []);
    });
}
function targetOf(root, schema) {
    const ref = ownMember(schema, '$ref');
    const target = referred(root, ref);
    return typeof ref === 'string' && isJsonObject(target)
        ? [{ schema: target, at: ref.slice(1) }]
        : [];
}
/** @returns the schemas themselves, and those that apply to the same value in any case */
function together(root, places) {
    const found = new Map(places.map((place) => [place.schema, place]));
    // A Map iterates over what is added meanwhile, too.
    for (const [schema, { at }] of found) {
        const all = listIn(ownMember(schema, 'allOf')).flatMap((each, index) => isJsonObject(each) ? [{ schema: each, at: `${at}/allOf/${index}` }] : []);
        for (const place of [...all, ...targetOf(root, schema)]) {
            if (!found.has(place.schema))
                found.set(place.schema, place);
        }
    }
    return [...found.values()];
}
/** @returns the schemas that have a mark, or lead to one that has */
function schemasWithMarks(root) {
    const parents = new Map([[root, []]]);
    for (const [schema] of parents) {
        for (const part of [...partsOf(schema, ''), ...targetOf(root, schema)]) {
            const before = parents.get(part.schema);
            if (before === undefined)
                parents.set(part.schema, [schema]);
            else
                before.push(schema);
        }
    }
    const found = new Set([...parents.keys()].filter(hasMark));
    for (const schema of found) {
        for (const parent of parents.get(schema) ?? [])
            found.add(parent);
    }
    return found;
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
        waiting.push(...[...partsOf(schema, at), ...targetOf(root, schema)].reverse());
    }
    return undefined;
}
/** Whether it says anything but that its value may change. */
function hasMark(schema) {
    const mark = ownMember(schema, 'immutable');
    return mark !== undefined && mark !== false;
}
function isMarked({ schema }) {
    return isImmutable(schema);
}
function valueAt(config, path) {
    return path.reduce((value, name) => ownMember(value, name), config);
}
function isSame(before, after) {
    // In canonical JSON, a missing value is null.
    if (before === undefined || after === undefined)
        return before === after;
    return canonicalJson(before) === canonicalJson(after);
}
