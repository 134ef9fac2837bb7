// Finds the lists in a value whose order means nothing, by their schema. Pure.
import { isJsonObject, ownMember } from '../../lib/json.js';
import { drawnIn, listIn, ofItem, ofMember } from '../schemas/applying-schemas.js';
/** A schema that needs more steps is an attack; the lists that it describes beyond them have an order. */
const maxSteps = 100_000;
const noSets = { isSet: false, member: () => noSets, item: () => noSets };
/** @returns the place of the whole value; what is below is computed once for each name, and once for all items of a list */
export function setsIn(schema) {
    if (schema === undefined || !declaresSets(schema))
        return noSets;
    const root = schema;
    let steps = 0;
    function placeOf(schemas) {
        const applying = drawnIn(root, schemas);
        if (applying.size === 0)
            return noSets;
        const cost = costOf(applying);
        const tuple = tupleLength(applying);
        const known = new Map();
        const below = (name, schemasBelow) => {
            const before = known.get(name);
            if (before !== undefined)
                return before;
            steps += cost;
            const place = steps > maxSteps ? noSets : placeOf(schemasBelow());
            known.set(name, place);
            return place;
        };
        return {
            isSet: [...applying].some(isSetSchema),
            member: (name) => below(`/${name}`, () => ofMember(applying, name)),
            item(index) {
                const at = Math.min(index, tuple);
                return below(`${at}`, () => ofItem(applying, at));
            },
        };
    }
    return placeOf([schema]);
}
function isSetSchema(schema) {
    return ownMember(schema, 'uniqueItems') === true;
}
/** Each pattern is compared with each name. */
function costOf(applying) {
    const patterns = [...applying].map((schema) => {
        const all = ownMember(schema, 'patternProperties');
        return isJsonObject(all) ? Object.keys(all).length : 0;
    });
    return patterns.reduce((sum, each) => sum + each, applying.size);
}
/** Items behind the longest tuple have the same schemas. */
function tupleLength(applying) {
    return [...applying].reduce((longest, schema) => Math.max(longest, listIn(ownMember(schema, 'prefixItems')).length), 0);
}
const declaring = new WeakMap();
/** @returns whether anything in a schema declares a set; computed once for each schema, which is never mutated */
function declaresSets(schema) {
    const before = declaring.get(schema);
    if (before !== undefined)
        return before;
    const found = hasSet(schema);
    declaring.set(schema, found);
    return found;
}
function hasSet(schema) {
    const waiting = [schema];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (typeof next !== 'object' || next === null)
            continue;
        if (isJsonObject(next) && isSetSchema(next))
            return true;
        for (const each of Object.values(next))
            waiting.push(each);
    }
    return false;
}
