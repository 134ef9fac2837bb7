// Locates subschemas inside a schema and resolves `$ref`. Pure.
import { isJsonArray, isJsonObject } from '../../lib/json.js';
import { ruleOf } from './keywords.js';
const reference = /^#(?:\/(\$defs|definitions)\/([A-Za-z0-9_.-]{1,128}))?$/;
/** @returns the schema a `$ref` refers to; undefined when it is not local or refers to nothing */
export function referenced(root, ref) {
    const match = reference.exec(ref);
    if (match === null)
        return undefined;
    const [, container, name] = match;
    if (container === undefined || name === undefined)
        return root;
    const definitions = root[container];
    return isJsonObject(definitions) && Object.hasOwn(definitions, name)
        ? definitions[name]
        : undefined;
}
/** @returns the schemas directly inside a well-formed schema */
export function subschemas(schema) {
    return Object.entries(schema).flatMap(([keyword, value]) => {
        const rule = ruleOf(keyword);
        if (rule === undefined)
            return [];
        if (rule.holds === 'schema')
            return [{ schema: value, step: [keyword], judges: rule.judges }];
        if (rule.holds === 'definitions')
            return members(value, keyword, 'nothing');
        return 'judges' in rule ? members(value, keyword, rule.judges) : [];
    });
}
/** @returns the path of each schema inside a well-formed schema */
export function placesIn(root) {
    const places = new Map([[root, []]]);
    // A Map iterates over what is added meanwhile, too.
    for (const [schema, place] of places) {
        if (!isJsonObject(schema))
            continue;
        for (const { schema: inner, step } of subschemas(schema)) {
            if (isJsonObject(inner))
                places.set(inner, [...place, ...step]);
        }
    }
    return places;
}
function members(value, keyword, judges) {
    if (isJsonArray(value)) {
        return value.map((schema, index) => ({ schema, step: [keyword, index], judges }));
    }
    if (!isJsonObject(value))
        return [];
    return Object.entries(value).map(([name, schema]) => ({ schema, step: [keyword, name], judges }));
}
