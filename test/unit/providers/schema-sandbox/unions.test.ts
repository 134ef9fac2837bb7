// What is reported of a value that matches no form of a union, from a schema of zod to the violations.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';
import { compileSchema } from '../../../../src/providers/schema-sandbox/compile.ts';

const port = z.strictObject({ kind: z.literal('port'), port: z.int() });
const host = z.strictObject({ kind: z.enum(['host', 'alias']), 'a/b %c': z.string() });
const group = z.strictObject({
  kind: z.literal('group'),
  get rules() {
    return z.array(rule);
  },
});
const rule: z.ZodType = z.discriminatedUnion('kind', [port, host, group]);
const point = z.object({ x: z.int(), y: z.int(), z: z.int() });
const size = z.union([z.string(), point, z.object({ width: z.int(), height: z.int() })]);
const nested = z.discriminatedUnion('kind', [
  port,
  z.discriminatedUnion('by', [
    z.object({ kind: z.literal('map'), by: z.literal('name'), name: z.string() }),
    z.object({ kind: z.literal('list'), by: z.literal('index'), index: z.int() }),
  ]),
]);

const kinds = "'port', 'host', 'alias' or 'group'";
const forms = 'Value error, input does not match any of the allowed forms';

const cases: Readonly<Record<string, readonly [z.ZodType, JsonValue, readonly string[]]>> = {
  'errors of the form that the discriminator names': [
    rule,
    { kind: 'port', prot: 22 },
    ['port: Field required', 'prot: Extra inputs are not permitted'],
  ],
  'a name that a JSON Pointer escapes': [
    rule,
    { kind: 'alias', 'a/b %c': 1 },
    ['a/b %c: Input should be a valid string'],
  ],
  'a form within a form': [
    rule,
    { kind: 'group', rules: [{ kind: 'port', port: 1 }, { kind: 'port' }] },
    ['rules.1.port: Field required'],
  ],
  'an unknown discriminator': [
    rule,
    { kind: 'prot', port: 22 },
    [`kind: Input should be ${kinds}; did you mean 'port'?`],
  ],
  'a discriminator like none': [rule, { kind: 7 }, [`kind: Input should be ${kinds}`]],
  'no discriminator': [rule, { port: 22 }, [`kind: Field required. Input should be ${kinds}`]],
  'no object where forms have a discriminator': [
    rule,
    'port',
    [
      `${forms}: an object with kind 'port' and port, an object with kind and a/b %c, or an object with kind 'group' and rules`,
    ],
  ],
  'a discriminated union that may be null': [
    rule.nullable(),
    { kind: 'port' },
    ['port: Field required'],
  ],
  'a union within a union': [nested, { kind: 'list', by: 'index' }, ['index: Field required']],
  'a value that may be null': [z.int().nullable(), 'a', ['Input should be a valid integer']],
  'the only form of an object': [
    z.union([z.string(), point]),
    { x: 1, y: 2 },
    ['z: Field required'],
  ],
  'the nearest form': [
    size,
    { width: 1, height: 'a' },
    ['height: Input should be a valid integer'],
  ],
  'forms of which none is near': [
    size,
    { depth: 1 },
    [`${forms}: a string, an object with x, y and z, or an object with width and height`],
  ],
  'another type than all forms': [
    z.union([z.string(), z.array(z.int())]),
    true,
    [`${forms}: a string or a list`],
  ],
  'values of which each is a form': [
    z.union([z.literal('a'), z.literal(1), z.enum(['c', 'd'])]),
    'x',
    [`${forms}: 'a', 1, or 'c' or 'd'`],
  ],
  // It would be resolved to a number perhaps, and a farther form may then be right.
  'a reference in a value of several forms': [
    size,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of a config
    { width: '${a/b/c.outputs.d}', height: 1 },
    [`${forms}: a string, an object with x, y and z, or an object with width and height`],
  ],
};

describe('of a value that matches no form of a union is reported', () => {
  it.each(Object.entries(cases))('%s', (_, [type, value, expected]) => {
    const schema = z.toJSONSchema(z.object({ at: type }), { io: 'input' });
    const judge = compileSchema(JSON.parse(JSON.stringify(schema)));
    const found = judge({ at: value }).map(({ loc: [, ...loc], msg }) => {
      return [...(loc.length === 0 ? [] : [loc.join('.')]), msg].join(': ');
    });
    expect(found).toEqual(expected);
  });

  it('the form that is named, for a config that is a union itself and refers to itself', () => {
    const judge = compileSchema({
      type: 'object',
      oneOf: [
        { properties: { kind: { const: 'leaf' }, size: { type: 'integer' } }, required: ['kind'] },
        { properties: { kind: { const: 'node' }, left: { $ref: '#' } }, required: ['kind'] },
      ],
    });
    const value = { kind: 'node', left: { kind: 'node', left: { kind: 'leaf', size: 'a' } } };
    expect(judge(value)).toMatchObject([{ loc: ['left', 'left', 'size'], type: 'int_type' }]);
  });

  it('the first error of the form that is named, in a value with more members than are explained', () => {
    const schema: JsonObject = JSON.parse(
      JSON.stringify(z.toJSONSchema(z.object({ at: z.array(rule) }), { io: 'input' })),
    );
    const rules = Array.from({ length: 1_000 }, () => ({ kind: 'port', port: 1 }));
    const wrong = { kind: 'port', port: 'a' };
    expect(compileSchema(schema)({ at: [...rules, wrong, wrong] })).toMatchObject([
      { loc: ['at', 1_000, 'port'], type: 'int_type' },
    ]);
  });

  it('little of many long forms', () => {
    const form = (index: number): JsonObject => ({
      type: 'object',
      required: Array.from({ length: 100 }, (_, at) => `${'x'.repeat(100)}${index}-${at}`),
    });
    const anyOf = Array.from({ length: 50 }, (_, index) => form(index));
    const [violation] = compileSchema({ properties: { at: { anyOf } } })({ at: {} });
    expect(violation?.msg.length).toBeLessThan(400);
  });
});
