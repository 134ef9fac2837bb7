import { isJsonObject } from '../../lib/json.js';
import { everySchema } from '../../tenant-schema/structure.js';
/** Keywords, and those of which they need one. */
const needs = {
    if: ['then', 'else'],
    // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword
    then: ['if'],
    else: ['if'],
    minContains: ['contains'],
    maxContains: ['contains'],
};
/** @param root a schema whose keywords are known to be well-formed */
export function withoutEffect(root) {
    return [...everySchema(root)].flatMap(({ schema, loc }) => isJsonObject(schema)
        ? problemsOf(schema).map(({ loc: [keyword = ''], msg }) => ({ loc: [...loc, keyword], msg }))
        : []);
}
function problemsOf(schema) {
    const has = (keyword) => Object.hasOwn(schema, keyword);
    const alone = Object.entries(needs).flatMap(([keyword, others]) => has(keyword) && !others.some(has)
        ? [{ loc: [keyword], msg: `'${keyword}' has no effect without '${others.join("' or '")}'` }]
        : []);
    return [...alone, ...boundsProblems(schema)];
}
function boundsProblems({ contains, minContains, maxContains, }) {
    if (contains === undefined || typeof minContains !== 'number')
        return [];
    const loc = ['minContains'];
    if (maxContains === undefined && minContains === 0) {
        return [{ loc, msg: "'minContains' 0 makes 'contains' have no effect without 'maxContains'" }];
    }
    const isAbove = typeof maxContains === 'number' && minContains > maxContains;
    return isAbove ? [{ loc, msg: "'minContains' is above 'maxContains'" }] : [];
}
