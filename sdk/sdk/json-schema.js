// Converts zod schemas to JSON Schemas that accept what zod accepts. Zod itself drops the flags of regular expressions, and emits
// patterns for addresses that are narrower than its own checks. `patternText` refuses what cannot be converted.
import { z } from 'zod';
import { thrownText } from './failure-text.js';
/** @throws TypeError when the schema cannot be converted; the message names it and the place */
export function jsonSchemaOf(schema, { io, what }) {
    const zod3 = zod3Place(schema);
    if (zod3 !== undefined) {
        const place = zod3.length === 0 ? 'not a zod 4 schema' : `a zod 3 schema at ${zod3.join('.')}`;
        throw new TypeError(`${what} is ${place}; create it with z of fairlead/provider`);
    }
    try {
        return z.toJSONSchema(schema, { io, override: exact });
    }
    catch (thrown) {
        const why = thrownText(thrown, 'Zod');
        throw new TypeError(`${what} cannot be converted to JSON Schema: ${why}`, { cause: thrown });
    }
}
function exact({ zodSchema, jsonSchema, path }) {
    const { def } = zodSchema._zod;
    if (def.type === 'record' && jsonSchema.patternProperties !== undefined) {
        jsonSchema.patternProperties = withTexts(jsonSchema.patternProperties, def.keyType, path);
    }
    if (def.type !== 'string')
        return;
    const holders = [jsonSchema, ...(jsonSchema.allOf ?? [])].filter(({ pattern }) => pattern);
    for (const regExp of patternsOf(zodSchema)) {
        const index = holders.findIndex(({ pattern }) => pattern === regExp.source);
        const [holder] = index < 0 ? [] : holders.splice(index, 1);
        if (holder !== undefined)
            holder.pattern = patternText(withoutLineEnds(regExp), path);
    }
    requireOnce(jsonSchema);
}
/** A format and a pattern for the same rule: only the one that permits what zod does stays. */
function requireOnce(schema) {
    // The format permits an IPv4 address in the end.
    if (schema.format === 'ipv6' || schema.format === 'cidrv6')
        delete schema.pattern;
    // Other patterns than the usual one permit more, such as umlauts.
    if (schema.format === 'email' && schema.pattern !== z.regexes.email.source)
        delete schema.format;
}
function withTexts(patterns, keyType, path) {
    const texts = new Map(patternsOf(keyType).map((each) => [each.source, patternText(each, path)]));
    return Object.fromEntries(Object.entries(patterns).map(([source, schema]) => [texts.get(source) ?? source, schema]));
}
/** `includes` with a position emits this pattern: lines may end before it. */
function withoutLineEnds(regExp) {
    return /^\^\.\{\d+,\}/.test(regExp.source)
        ? new RegExp(regExp.source, `${regExp.flags}s`)
        : regExp;
}
/** A format is the first of its own checks. */
function patternsOf(schema) {
    const { def } = schema._zod;
    const checks = [def, ...(def.checks ?? []).map((check) => check._zod.def)];
    const found = checks.map((check) => check.pattern);
    return found.filter((pattern) => pattern instanceof RegExp);
}
// Finds schemas of zod 3 inside of a schema of zod 4, which zod itself tells by an error about its own members.
/** @returns the path of the first schema that is none of zod 4; undefined when there is none */
function zod3Place(schema) {
    return placeIn(schema, new Set());
}
function placeIn(value, seen) {
    if (!isObject(value) || seen.has(value))
        return undefined;
    seen.add(value);
    if (!('_zod' in value))
        return '_def' in value ? [] : undefined;
    for (const [name, part] of definitionParts(value._zod.def)) {
        const found = placeIn(part, seen);
        if (found !== undefined)
            return name === undefined ? found : [name, ...found];
    }
    return undefined;
}
/** Members that wrap a schema have no name of their own in a value. */
function* definitionParts(def) {
    for (const [member, part] of Object.entries(def)) {
        if (member === 'shape')
            yield* Object.entries(part);
        else if (member === 'getter')
            yield [undefined, part()];
        else if (Array.isArray(part))
            for (const [index, each] of part.entries())
                yield [`${index}`, each];
        else
            yield [undefined, part];
    }
}
function isObject(value) {
    return typeof value === 'object' && value !== null;
}
// Writes a regular expression as the pattern of a JSON Schema, which has no flags: as groups with modifiers, which JavaScript and
// RE2 know. An expression is refused that would mean something else as a pattern.
/** Escapes, classes with what they begin with, and the rest. */
const parts = /\\(?:[pPu]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*|./gs;
/**
 * @param path of the schema in the JSON Schema
 * @throws TypeError for an expression that no pattern can stand for
 */
function patternText(regExp, path) {
    const { source, flags } = regExp;
    const problem = patternProblem(regExp);
    if (problem !== undefined) {
        const place = path.length === 0 ? '' : ` at ${path.join('.')}`;
        throw new TypeError(`the regular expression ${regExp}${place} ${problem}`);
    }
    // RE2 has classes such as [:alpha:] there.
    const text = source.replace(parts, (part) => part.startsWith('[') ? `[${part.slice(1).replaceAll('[:', '\\[:')}` : part);
    const modifiers = [...'ims'].filter((flag) => flags.includes(flag)).join('');
    const modified = modifiers === '' ? text : `(?${modifiers}:${text})`;
    return flags.includes('y') ? `^(?:${modified})` : modified;
}
function patternProblem({ source, unicode, unicodeSets }) {
    const found = [...source.matchAll(parts)].map(([part]) => part);
    if (unicodeSets && found.some(isSetOperation)) {
        return 'has the flag v with nested classes or set operations, which patterns do not have; list the characters';
    }
    const needsUnicode = found.some((part) => /\\[pPu]\{/.test(part));
    return needsUnicode && !unicode && !unicodeSets
        ? 'has \\p{…} or \\u{…}, which mean that only with the flag u; add it'
        : undefined;
}
function isSetOperation(part) {
    return part.startsWith('\\q') || (part.startsWith('[') && /[^\\][[]|--|&&|\\q/.test(part));
}
