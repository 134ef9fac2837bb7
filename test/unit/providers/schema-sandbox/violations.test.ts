// Each keyword's failure, from a real compiled schema to the wording of a 422 body.
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';
import { compileSchema } from '../../../../src/providers/schema-sandbox/compile.ts';

describe('a violation is reported with the same names and texts as elsewhere:', () => {
  const cases: readonly [JsonObject, JsonValue, string, string][] = [
    [{ type: 'string' }, 1, 'string_type', 'Input should be a valid string'],
    [{ type: 'integer' }, 1.5, 'int_type', 'Input should be a valid integer'],
    [{ type: 'number' }, '1', 'float_type', 'Input should be a valid number'],
    [{ type: 'boolean' }, 0, 'bool_type', 'Input should be a valid boolean'],
    [{ type: 'object' }, [], 'dict_type', 'Input should be a valid dictionary'],
    [{ type: 'array' }, {}, 'list_type', 'Input should be a valid list'],
    [{ type: 'null' }, 0, 'none_required', 'Input should be None'],
    [{ type: ['string', 'null'] }, 1, 'string_type', 'Input should be a valid string'],
    [{ type: ['string', 'number'] }, true, 'value_error', 'Input should be one of string, number'],
    [{ enum: ['a', 'b', null] }, 'c', 'enum', "Input should be 'a', 'b' or null"],
    [{ const: 'a' }, 'b', 'literal_error', "Input should be 'a'"],
    [{ minLength: 1 }, '', 'string_too_short', 'String should have at least 1 character'],
    [{ maxLength: 2 }, 'abc', 'string_too_long', 'String should have at most 2 characters'],
    [{ pattern: '^a' }, 'b', 'string_pattern_mismatch', "String should match pattern '^a'"],
    [{ format: 'email' }, 'b', 'value_error', 'Value error, input is not a valid email'],
    [{ minimum: 1 }, 0, 'greater_than_equal', 'Input should be greater than or equal to 1'],
    [{ maximum: 1 }, 2, 'less_than_equal', 'Input should be less than or equal to 1'],
    [{ exclusiveMinimum: 1 }, 1, 'greater_than', 'Input should be greater than 1'],
    [{ exclusiveMaximum: 1 }, 1, 'less_than', 'Input should be less than 1'],
    [{ multipleOf: 2 }, 3, 'multiple_of', 'Input should be a multiple of 2'],
    [
      { minItems: 2 },
      [1],
      'too_short',
      'List should have at least 2 items after validation, not 1',
    ],
    [
      { maxItems: 1 },
      [1, 2],
      'too_long',
      'List should have at most 1 item after validation, not 2',
    ],
    [
      { minProperties: 1 },
      {},
      'too_short',
      'Dictionary should have at least 1 item after validation, not 0',
    ],
    [
      { prefixItems: [true], items: false },
      [1, 2],
      'too_long',
      'List should have at most 1 item after validation, not 2',
    ],
    [
      { uniqueItems: true },
      [1, 1],
      'value_error',
      'Value error, input has the same item at 0 and 1',
    ],
    [{ not: {} }, 1, 'value_error', 'Value error, input has a form that is not allowed'],
    [
      { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
      1,
      'value_error',
      'Value error, input does not match any of the allowed forms: a string or a boolean',
    ],
    [
      { oneOf: [{ minimum: 0 }, { minimum: 1 }] },
      2,
      'value_error',
      'Value error, input matches more than one of the allowed forms',
    ],
    [
      { contains: { type: 'string' } },
      [1, 2],
      'value_error',
      'Value error, input has too few or too many items of the kind it must contain',
    ],
    [{ if: { type: 'number' }, else: { const: 'a' } }, 'b', 'literal_error', "Input should be 'a'"],
  ];
  it.each(cases)('%j for %j is %s', (schema, value, type, msg) => {
    const violations = compileSchema({ properties: { field: schema } })({ field: value });
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatchObject({ loc: ['field'], type, msg, input: value });
  });
});

describe('violations', () => {
  it('name the missing field, and show its object', () => {
    const judge = compileSchema({ properties: { a: { items: { required: ['b'] } } } });
    expect(judge({ a: [{ b: 1 }, { c: 1 }] })).toEqual([
      { loc: ['a', 1, 'b'], type: 'missing', msg: 'Field required', input: { c: 1 } },
    ]);
  });

  it('name each unknown field', () => {
    const judge = compileSchema({ properties: { a: {} }, additionalProperties: false });
    expect(judge({ a: 1, 'b/c': 2, 'd~': 3 })).toEqual([
      { loc: ['b/c'], type: 'extra_forbidden', msg: 'Extra inputs are not permitted', input: 2 },
      { loc: ['d~'], type: 'extra_forbidden', msg: 'Extra inputs are not permitted', input: 3 },
    ]);
  });

  it('distinguish digits in the name of a field from indexes of a list', () => {
    const judge = compileSchema({ additionalProperties: { items: { type: 'string' } } });
    expect(judge({ '0': [1], 'a/b~c': ['', 1] }).map(({ loc }) => loc)).toEqual([
      ['0', 0],
      ['a/b~c', 1],
    ]);
  });

  it('report an invalid name of a field once', () => {
    const judge = compileSchema({ propertyNames: { type: 'string', pattern: '^a' } });
    expect(judge({ a: 1, b: 2 })).toMatchObject([
      { loc: ['b'], type: 'string_pattern_mismatch', input: 'b' },
    ]);
  });

  it('report a choice behind references once, beside other violations', () => {
    const judge = compileSchema({
      properties: { a: { $ref: '#/$defs/any' }, b: { type: 'string' } },
      required: ['c'],
      $defs: {
        any: { anyOf: [{ $ref: '#/$defs/list' }, { type: 'number' }] },
        list: { type: 'array', items: { $ref: '#/$defs/any' } },
      },
    });
    expect(judge({ a: [['x']], b: 1 }).map(({ loc, type }) => [loc, type])).toEqual([
      [['c'], 'missing'],
      [['a', 0, 0], 'value_error'],
      [['b'], 'string_type'],
    ]);
  });

  it('are not repeated when several rules require the same', () => {
    const judge = compileSchema({ allOf: [{ required: ['a'] }, { required: ['a'] }] });
    expect(judge({})).toHaveLength(1);
  });

  it('omit a long input', () => {
    const judge = compileSchema({ properties: { a: { maxLength: 1 } } });
    expect(judge({ a: 'x'.repeat(10_000) })[0]).not.toHaveProperty('input');
  });

  it('do not treat inherited properties as fields', () => {
    const judge = compileSchema({ required: ['toString', 'valueOf'] });
    expect(judge({ valueOf: 1 })).toMatchObject([{ loc: ['toString'], type: 'missing' }]);
  });
});
