import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidRequest, type Violation } from '../../../../src/domain/errors.ts';
import { parse } from '../../../../src/http/request/parse.ts';

const one = (schema: z.ZodType) => z.strictObject({ field: schema });
const pattern = /^[a-z]+$/;

interface Row {
  readonly schema: z.ZodType;
  readonly given: unknown;
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Record<string, unknown>;
}

const rows: Record<string, Row> = {
  'a wrong type instead of a string': {
    schema: z.string(),
    given: 1,
    type: 'string_type',
    msg: 'Input should be a valid string',
  },
  'null for a string': {
    schema: z.string(),
    given: null,
    type: 'string_type',
    msg: 'Input should be a valid string',
  },
  'a wrong type instead of a number': {
    schema: z.number(),
    given: '1',
    type: 'float_type',
    msg: 'Input should be a valid number',
  },
  'a fraction for an integer': {
    schema: z.int(),
    given: 1.5,
    type: 'int_type',
    msg: 'Input should be a valid integer',
  },
  'a wrong type instead of a boolean': {
    schema: z.boolean(),
    given: 'true',
    type: 'bool_type',
    msg: 'Input should be a valid boolean',
  },
  'an array for an object': {
    schema: z.strictObject({}),
    given: [],
    type: 'dict_type',
    msg: 'Input should be a valid dictionary',
  },
  'a string for a record': {
    schema: z.record(z.string(), z.unknown()),
    given: 'x',
    type: 'dict_type',
    msg: 'Input should be a valid dictionary',
  },
  'an object for a list': {
    schema: z.array(z.string()),
    given: {},
    type: 'list_type',
    msg: 'Input should be a valid list',
  },
  'a word that is not one of several': {
    schema: z.enum(['draft', 'pending']),
    given: 'ready',
    type: 'enum',
    msg: "Input should be 'draft' or 'pending'",
    ctx: { expected: "'draft' or 'pending'" },
  },
  'a word that is not one of three': {
    schema: z.enum(['a', 'b', 'c']),
    given: 3,
    type: 'enum',
    msg: "Input should be 'a', 'b' or 'c'",
    ctx: { expected: "'a', 'b' or 'c'" },
  },
  'another word than the only one': {
    schema: z.literal('a'),
    given: 'b',
    type: 'literal_error',
    msg: "Input should be 'a'",
    ctx: { expected: "'a'" },
  },
  'a string too long': {
    schema: z.string().max(1),
    given: 'ab',
    type: 'string_too_long',
    msg: 'String should have at most 1 character',
    ctx: { max_length: 1 },
  },
  'a string too short': {
    schema: z.string().min(2),
    given: 'a',
    type: 'string_too_short',
    msg: 'String should have at least 2 characters',
    ctx: { min_length: 2 },
  },
  'a string that does not match': {
    schema: z.string().regex(pattern),
    given: 'A',
    type: 'string_pattern_mismatch',
    msg: "String should match pattern '^[a-z]+$'",
    ctx: { pattern: '^[a-z]+$' },
  },
  'a string that does not match a pattern with a sentence of its own': {
    schema: z.string().regex(pattern, 'Input should be small letters, such as abc'),
    given: 'A',
    type: 'string_pattern_mismatch',
    msg: 'Input should be small letters, such as abc',
    ctx: { pattern: '^[a-z]+$' },
  },
  'a list too long': {
    schema: z.array(z.string()).max(1),
    given: ['a', 'b'],
    type: 'too_long',
    msg: 'List should have at most 1 item after validation, not 2',
    ctx: { field_type: 'List', max_length: 1, actual_length: 2 },
  },
  'a list too short': {
    schema: z.array(z.string()).min(2),
    given: [],
    type: 'too_short',
    msg: 'List should have at least 2 items after validation, not 0',
    ctx: { field_type: 'List', min_length: 2, actual_length: 0 },
  },
  'a number too large': {
    schema: z.int().max(9),
    given: 10,
    type: 'less_than_equal',
    msg: 'Input should be less than or equal to 9',
    ctx: { le: 9 },
  },
  'a number too small': {
    schema: z.int().min(1),
    given: 0,
    type: 'greater_than_equal',
    msg: 'Input should be greater than or equal to 1',
    ctx: { ge: 1 },
  },
  'a rule of our own': {
    schema: z.string().refine(() => false, 'Input should be nicer'),
    given: 'x',
    type: 'value_error',
    msg: 'Input should be nicer',
  },
};

it.each(Object.entries(rows))('reports %s as pydantic does', (_what, row) => {
  const { schema, given, type, msg, ctx } = row;
  expect(violationsOf(one(schema), { field: given })).toStrictEqual([
    { loc: ['body', 'field'], type, msg, ...(ctx === undefined ? {} : { ctx }), input: given },
  ]);
});

describe('a missing field', () => {
  it('is reported with its object', () => {
    expect(violationsOf(one(z.string()), { other: 1 }).slice(0, 1)).toStrictEqual([
      { loc: ['body', 'field'], type: 'missing', msg: 'Field required', input: { other: 1 } },
    ]);
  });

  it.each([
    ['a string', z.string()],
    ['an enum', z.enum(['a', 'b'])],
    ['a list', z.array(z.string())],
    ['an object', z.strictObject({})],
    ['a record', z.record(z.string(), z.unknown())],
    ['an integer', z.int()],
  ])('is reported for %s too', (_what, schema) => {
    expect(violationsOf(one(schema), {})).toMatchObject([{ type: 'missing' }]);
  });

  it('is found inside lists', () => {
    const list = one(z.array(z.strictObject({ name: z.string() })));
    const given = { field: [{ name: 'a' }, {}] };
    expect(violationsOf(list, given)).toStrictEqual([
      { loc: ['body', 'field', 1, 'name'], type: 'missing', msg: 'Field required', input: {} },
    ]);
  });
});

it('reports every unknown field separately, with its value', () => {
  const given = { field: 'a', one: 1, constructor: { two: 2 } };
  expect(violationsOf(one(z.string()), given)).toStrictEqual([
    extra('one', 1),
    extra('constructor', { two: 2 }),
  ]);
});

function extra(name: string, input: unknown): Violation {
  return {
    loc: ['body', name],
    msg: 'Extra inputs are not permitted; allowed: field',
    type: 'extra_forbidden',
    input,
  };
}

it('reports every violation of a request at once', () => {
  const schema = z.strictObject({ a: z.string(), b: z.int(), c: z.array(z.string()) });
  const violations = violationsOf(schema, { a: 1, c: ['x', 2], d: 0 });
  expect(violations.map(({ loc, type }) => [loc.join('.'), type])).toEqual([
    ['body.a', 'string_type'],
    ['body.b', 'missing'],
    ['body.c.1', 'string_type'],
    ['body.d', 'extra_forbidden'],
  ]);
});

it('reports text of a query as unparsable, and a value of a body as of a wrong type', () => {
  const schema = one(z.boolean());
  const types = (['query', 'body'] as const).map(
    (location) => violationsOf(schema, { field: 'x' }, location)[0]?.type,
  );
  expect(types).toEqual(['bool_parsing', 'bool_type']);
});

it('returns the parsed value', () => {
  const schema = z.strictObject({ field: z.string().default('d') });
  expect(parse(schema, {}, 'body')).toEqual({ field: 'd' });
});

function violationsOf(
  schema: z.ZodType,
  value: unknown,
  location: 'body' | 'query' = 'body',
): readonly Violation[] {
  try {
    parse(schema, value, location);
  } catch (thrown) {
    if (thrown instanceof InvalidRequest) return thrown.violations;
    throw thrown;
  }
  return [];
}

it('[I7] reports a hundred of many violations, and stops there', () => {
  const body = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, 1]));
  const list = z.strictObject({ list: z.array(z.string()) });
  const many = { list: Array.from({ length: 90_000 }, () => 1) };
  for (const [schema, value] of [
    [one(z.string()), { ...body, field: 'a' }],
    [list, many],
  ] as const) {
    const thrown = refusalOf(() => parse(schema, value, 'body'));
    expect(thrown.violations).toHaveLength(100);
    // The text of the error is made of them, too.
    expect(thrown.message.length).toBeLessThan(10_000);
  }
});

function refusalOf(work: () => unknown): InvalidRequest {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof InvalidRequest) return thrown;
    throw thrown;
  }
  throw new Error('Nothing was refused');
}
