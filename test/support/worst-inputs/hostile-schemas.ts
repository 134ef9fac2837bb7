// Schemas that tenants may register, each filled up to a bound of `schemaBounds` with what costs most.
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';
import { schemaBounds } from '../../../src/tenant-schema/bounds.ts';
import { nested, times } from './hostile-values.ts';

const { names, branches, bytes } = schemaBounds;

function map(count: number, make: (index: number) => JsonValue, prefix = ''): JsonObject {
  return Object.fromEntries(times(count, (at) => [`${prefix}${at.toString(36)}`, make(at)]));
}

const refTo = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const itself: JsonObject = { $ref: '#' };

/** All of the schemas apply to the value, and to each member that refers to the whole schema. */
function together(schemas: readonly JsonObject[], mark: JsonObject): JsonObject {
  return {
    allOf: schemas.map((_, at) => refTo(`d${at}`)),
    $defs: Object.fromEntries(schemas.map((schema, at) => [`d${at}`, schema])),
    properties: { marked: mark },
  };
}

/** Objects in objects have the same 36 names, each required by fifty schemas. */
export function sameNames(mark: JsonObject = {}): JsonObject {
  const properties = map(36, () => itself);
  const schema = { properties, required: Object.keys(properties) };
  return together(
    times(branches, () => schema),
    mark,
  );
}

/** As many different names as may be, in objects in objects. */
export function manyNames(mark: JsonObject = {}): JsonObject {
  const schemas = times(6, (at) => {
    const properties = map(names, () => itself, `${at}`);
    return { properties, required: Object.keys(properties) };
  });
  return together(schemas, mark);
}

/** As many patterns as may be, which are compared as texts. */
export function plainPatterns(mark: JsonObject = {}): JsonObject {
  const schemas = times(6, (at) => ({ patternProperties: map(names, () => itself, `^x${at}-`) }));
  return together(schemas, mark);
}

/** As many patterns as may be, each of which may match any name. */
export function anyPatterns(mark: JsonObject = {}): JsonObject {
  const schemas = times(6, (at) => ({ patternProperties: map(names, () => itself, `.${at}`) }));
  return together(schemas, mark);
}

/** Definitions that name the next one in each of their properties: paths are many more than schemas. */
export function manyPaths(last: JsonObject): JsonObject {
  const [depth, width] = [12, 150];
  const properties = (at: number) =>
    map(width, () => (at + 1 === depth ? last : refTo(`d${at + 1}`)));
  return {
    ...refTo('d0'),
    $defs: Object.fromEntries(times(depth, (at) => [`d${at}`, { properties: properties(at) }])),
  };
}

/** Each property has as many forms as may apply to one value, and all of them are the same one. */
export function nestedForms(form: JsonObject, keyword = 'anyOf'): JsonObject {
  return {
    type: 'object',
    properties: map(100, () => refTo('outer'), 'p'),
    $defs: {
      outer: { [keyword]: times(branches, () => refTo('inner')) },
      inner: { [keyword]: times(branches, () => refTo('form')) },
      values: { enum: times(schemaBounds.enumValues, (at) => at) },
      form,
    },
  };
}

/** A form that requires as many names as may be, each of as many values as may be. */
export const wideForm: JsonObject = {
  type: 'object',
  properties: map(names, () => refTo('values')),
  required: Object.keys(map(names, () => true)),
};

/** What the value of a keyword may be is not bounded by depth or number. */
export function largeDefault(): JsonObject {
  return { default: nested({ properties: map(Math.floor(bytes / 12), () => 1, 'z') }) };
}

/** What may be registered. */
export const hostileSchemas: Readonly<Record<string, () => JsonObject>> = {
  sameNames,
  manyNames,
  plainPatterns,
  anyPatterns,
  manyPaths: () => manyPaths({ type: 'string' }),
  nestedForms: () => nestedForms(wideForm),
  largeDefault,
};
