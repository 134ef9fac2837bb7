import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isSameField } from '../../../../src/domain/schemas/declared.ts';
import { immutableProblem } from '../../../../src/domain/schemas/immutable.ts';
import { immutableFields } from '../../../../src/domain/schemas/immutable-fields.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const fixed = { type: 'string', immutable: true };
const mark = { immutable: true } as const;

function converted(shape: z.core.$ZodLooseShape, options: z.core.ToJSONSchemaParams = {}) {
  const schema = z.toJSONSchema(z.strictObject(shape as z.ZodRawShape), {
    io: 'input',
    ...options,
  });
  return schema as unknown as JsonObject;
}

/** @returns 2^`depth` fields in a schema of little text */
function doubling(depth: number, last: JsonObject): JsonObject {
  const levels = Array.from({ length: depth }, (_, level): [string, JsonObject] => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, { properties: { a: next, b: next } }];
  });
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(levels), [`d${depth}`]: last } };
}

describe('immutable fields', () => {
  it.each<[string, JsonObject | undefined, readonly string[]]>([
    ['no schema', undefined, []],
    ['no mark', { properties: { a: { type: 'string' } } }, []],
    ['a property', { properties: { a: fixed, b: {} } }, ['a']],
    ['a mark that is false', { properties: { a: { immutable: false } } }, []],
    ['a mark that is no flag', { properties: { a: { immutable: 'true' } } }, []],
    ['a property below others', { properties: { a: { properties: { b: fixed } } } }, ['a.b']],
    [
      'an object, and none of what is below',
      { properties: { a: { immutable: true, properties: { b: fixed }, items: fixed } } },
      ['a'],
    ],
    ['a union', { properties: { a: { anyOf: [{}, fixed], immutable: true } } }, ['a']],
    ['a reference', { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: fixed } }, ['a']],
    [
      'a mark beside a reference',
      { properties: { a: { $ref: '#/$defs/a', immutable: true } }, $defs: { a: {} } },
      ['a'],
    ],
    [
      'a reference of the whole',
      { $ref: '#/$defs/a', $defs: { a: { properties: { a: fixed } } } },
      ['a'],
    ],
    ['allOf', { allOf: [{ properties: { a: {} } }, { properties: { a: fixed } }] }, ['a']],
    ['allOf of a property', { properties: { a: { allOf: [{}, fixed] } } }, ['a']],
    [
      'one schema at two places',
      {
        properties: { a: { $ref: '#/$defs/p' }, b: { $ref: '#/$defs/p' } },
        $defs: { p: { properties: { z: fixed } } },
      },
      ['a.z', 'b.z'],
    ],
    ['a property of the name', { properties: { immutable: { type: 'boolean' } } }, []],
    [
      'a default that looks like a schema',
      { properties: { a: { default: fixed, const: fixed } } },
      [],
    ],
    [
      'names of every object',
      { properties: JSON.parse('{"__proto__":{"immutable":true}}') },
      ['__proto__'],
    ],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/x' }, b: fixed } }, ['b']],
    [
      'nothing of definitions that nothing refers to',
      { $defs: { a: { properties: { a: fixed } } }, properties: {} },
      [],
    ],
    [
      'a schema that refers to itself beside the marks',
      {
        properties: { a: fixed, tree: { $ref: '#/$defs/tree' } },
        $defs: { tree: { properties: { left: { $ref: '#/$defs/tree' } } } },
      },
      ['a'],
    ],
  ])('are those of %s', (_, schema, expected) => {
    expect(immutableFields(schema).map((path) => path.join('.'))).toEqual(expected);
    if (schema !== undefined && !JSON.stringify(schema).includes('"true"')) {
      expect(immutableProblem(schema)).toBeUndefined();
    }
  });

  it('are the same list for the same schema', () => {
    const schema = { properties: { a: fixed } };
    expect(immutableFields(schema)).toBe(immutableFields(schema));
  });

  const place = z.object({ zone: z.string().meta(mark) }).meta({ id: 'Place' });
  it.each<[string, z.core.$ZodLooseShape, readonly string[]]>([
    ['a plain field', { a: z.string().meta(mark) }, ['a']],
    ['optional behind', { a: z.string().meta(mark).optional() }, ['a']],
    ['optional before', { a: z.string().optional().meta(mark) }, ['a']],
    ['a default behind', { a: z.string().meta(mark).default('x') }, ['a']],
    ['a default before', { a: z.string().default('x').meta(mark) }, ['a']],
    ['nullable before', { a: z.string().nullable().meta(mark) }, ['a']],
    ['nullish objects before', { a: z.object({}).nullish().meta(mark) }, ['a']],
    ['checks behind', { a: z.string().meta(mark).min(3) }, ['a']],
    ['a description behind', { a: z.string().meta(mark).describe('An a.') }, ['a']],
    ['a union', { a: z.union([z.string(), z.int()]).meta(mark) }, ['a']],
    ['a list', { a: z.array(z.string()).meta(mark) }, ['a']],
    ['a record', { a: z.record(z.string(), z.string()).meta(mark) }, ['a']],
    ['an optional object', { a: z.object({ b: z.int().meta(mark) }).optional() }, ['a.b']],
    [
      'a schema with an id',
      { a: place, b: place.optional(), c: place.meta(mark) },
      ['a.zone', 'b.zone', 'c'],
    ],
    [
      'an intersection',
      { a: z.object({ b: z.int().meta(mark) }).and(z.object({ c: z.int() })) },
      ['a.b'],
    ],
  ])('of zod: %s', (_, shape, expected) => {
    for (const reused of ['inline', 'ref'] as const) {
      const schema = converted(shape, { reused });
      expect(immutableFields(schema).map((path) => path.join('.'))).toEqual(expected);
      expect(immutableProblem(schema)).toBeUndefined();
    }
  });
});

describe('a mark that cannot work', () => {
  const within = (schema: JsonObject): JsonObject => ({ properties: { a: schema } });
  const zod = '; in zod, .meta({ immutable: true }) follows .nullable() and z.union()';
  it.each<[JsonObject, string, string]>([
    [{ immutable: true }, '', 'The config as a whole cannot be immutable: mark its fields'],
    [
      { allOf: [{ immutable: true }] },
      '/allOf/0',
      'The config as a whole cannot be immutable: mark its fields',
    ],
    [within({ immutable: 'yes' }), '/properties/a', "'immutable' must be true or false"],
    [within({ immutable: null }), '/properties/a', "'immutable' must be true or false"],
    ...['items', 'contains', 'unevaluatedItems'].map((keyword): [JsonObject, string, string] => [
      within({ [keyword]: { properties: { b: fixed } } }),
      `/properties/a/${keyword}/properties/b`,
      'Items of a list cannot be immutable: mark a itself',
    ]),
    [
      within({ prefixItems: [{}, fixed] }),
      '/properties/a/prefixItems/1',
      'Items of a list cannot be immutable: mark a itself',
    ],
    ...['anyOf', 'oneOf'].map((keyword): [JsonObject, string, string] => [
      within({ [keyword]: [{ type: 'null' }, fixed] }),
      `/properties/a/${keyword}/1`,
      `Branches of ${keyword} cannot be immutable: mark a itself${zod}`,
    ]),
    [
      { oneOf: [within(fixed)] },
      '/oneOf/0/properties/a',
      'Branches of oneOf cannot be immutable: mark a field in properties beside oneOf',
    ],
    ...['if', 'then', 'else', 'not'].map((keyword): [JsonObject, string, string] => [
      { [keyword]: within(fixed) },
      `/${keyword}/properties/a`,
      `Fields under ${keyword} cannot be immutable: mark the field in properties beside ${keyword}`,
    ]),
    [
      { dependentSchemas: { b: within(fixed) } },
      '/dependentSchemas/b/properties/a',
      'Fields under dependentSchemas cannot be immutable: mark the field in properties beside dependentSchemas',
    ],
    ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'].map(
      (keyword): [JsonObject, string, string] => [
        within({ [keyword]: fixed }),
        `/properties/a/${keyword}`,
        `Fields under ${keyword} cannot be immutable: mark a itself`,
      ],
    ),
    [
      { patternProperties: { '^a/': fixed } },
      '/patternProperties/^a~1',
      'Fields under patternProperties cannot be immutable: name the field in properties',
    ],
    [
      {
        properties: { a: { $ref: '#/$defs/p' }, b: { items: { $ref: '#/$defs/p' } } },
        $defs: { p: within(fixed) },
      },
      '/$defs/p/properties/a',
      'Items of a list cannot be immutable: mark b itself',
    ],
    [
      { properties: { a: fixed, child: { $ref: '#' } } },
      '/properties/a',
      'Fields of a schema that refers back to itself cannot be immutable: mark child itself',
    ],
  ])('%j', (schema, at, problem) => {
    expect(immutableProblem(schema)).toEqual({ at: `${at}/immutable`, problem });
  });

  it('is any mark of outputs and of settings', () => {
    const schema = within({ properties: { b: fixed } });
    const at = '/properties/a/properties/b/immutable';
    const outputs = 'Outputs cannot be immutable: mark fields of the config';
    expect(immutableProblem(schema, 'outputs')).toEqual({ at, problem: outputs });
    const settings = 'Settings cannot be immutable: leave the mark out';
    expect(immutableProblem(schema, 'settings')).toEqual({ at, problem: settings });
    expect(immutableProblem(within({ immutable: false }), 'outputs')).toBeUndefined();
  });

  it('does not keep others from working', () => {
    const schema = { properties: { list: { items: fixed }, a: fixed } };
    expect(immutableFields(schema)).toEqual([['a']]);
  });

  it('is behind the union in zod', () => {
    expect(immutableProblem(converted({ a: z.string().meta(mark).nullable() }))).toMatchObject({
      at: '/properties/a/anyOf/0/immutable',
    });
  });

  it.each([
    ['fields', doubling(30, { properties: { z: fixed } })],
    ['marks in lists', doubling(30, { items: fixed })],
    [
      'levels',
      Array.from({ length: 5_000 }).reduce<JsonObject>((below) => within(below), within(fixed)),
    ],
  ])('is one of too many %s', (_, schema) => {
    expect(immutableProblem(schema)?.problem).toMatch(/mark /);
    expect(immutableFields(schema).length).toBeLessThanOrEqual(1_000);
  });

  it('is nowhere when as many places have no mark', () => {
    expect(immutableProblem(doubling(30, { type: 'string' }))).toBeUndefined();
  });
});

describe('a change of immutable fields', () => {
  it.each<[string, string, JsonObject, JsonObject, boolean]>([
    ['the same value', 'a', { a: 1, b: 1 }, { a: 1, b: 2 }, false],
    ['another value', 'a', { a: 1 }, { a: 2 }, true],
    ['another type', 'a', { a: 1 }, { a: '1' }, true],
    ['another order of members', 'a', { a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, false],
    ['another order of items', 'a', { a: [1, 2] }, { a: [2, 1] }, true],
    ['a value below', 'a', { a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, true],
    ['a field that is added', 'a', {}, { a: 1 }, true],
    ['a field that is left out', 'a', { a: 1 }, {}, true],
    ['null in place of nothing', 'a', {}, { a: null }, true],
    ['neither has it', 'a', {}, { b: 1 }, false],
    ['neither has its object', 'a.b', {}, { a: 1 }, false],
    ['its object is added', 'a.b', {}, { a: { b: 1 } }, true],
    ['its object is added without it', 'a.b', {}, { a: {} }, false],
    ['a list in place of its object', 'a.0', { a: [1] }, { a: [2] }, false],
    ['members of every object', 'constructor', {}, {}, false],
    ['minus zero', 'a', { a: 0 }, { a: -0 }, false],
  ])('%s', (_, field, before, after, isChange) => {
    const path = field.split('.');
    const sides = [before, after].map((config) => ({ config, schema: undefined }));
    expect(isSameField(path, sides as never)).toBe(!isChange);
  });
});
