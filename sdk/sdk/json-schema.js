// Converts zod schemas to JSON Schemas that accept what zod accepts. Zod itself drops the flags of regular expressions, and emits
// patterns for addresses that are narrower than its own checks. `patternText` refuses what cannot be converted.
import { z } from 'zod';
import { thrownText } from './failure-text.js';
import { patternText } from './pattern-text.js';
import { zod3Place } from './zod-3.js';
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
