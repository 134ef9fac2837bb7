// The rules of the API in plain words: a row for each message of the validators of requests and of configs.
import { expect, it } from 'vitest';
import { violationMessage } from '../../../../src/client/words/violation.ts';

const schema = {
  properties: {
    language: { type: 'string' },
    rules: { items: { properties: { port: { type: 'integer' } } } },
    target: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/host' }] },
  },
  $defs: { host: { properties: { address: { type: 'string' } } } },
};

it.each([
  ['missing', 'Field required', undefined, 'is required'],
  ['missing', 'Field required. …', { expected: "'a' or 'b'" }, "is required: 'a' or 'b'"],
  [
    'enum',
    "Input should be 'port' or 'host'; did you mean 'port'?",
    { expected: "'port' or 'host'" },
    "must be 'port' or 'host'; did you mean 'port'?",
  ],
  [
    'immutable',
    'This field cannot change once the resource exists; restore its value, or send replace=true to have the resource deleted and created again',
    undefined,
    'cannot change once the resource exists; restore its value, or replace the resource',
  ],
  ['string_type', 'Input should be a valid string', undefined, 'must be text'],
  ['int_parsing', 'Input should be a valid integer', undefined, 'must be a whole number'],
  ['dict_type', 'Input should be a valid dictionary', undefined, 'must have names and values'],
  ['enum', "Input should be 'a' or 'b'", { expected: "'a' or 'b'" }, "must be 'a' or 'b'"],
  [
    'string_too_short',
    'String should have at least 1 character',
    { min_length: 1 },
    'must have at least 1 character',
  ],
  [
    'too_long',
    'List should have at most 2 items after validation, not 3',
    { field_type: 'List', max_length: 2, actual_length: 3 },
    'must have at most 2 items, has 3',
  ],
  [
    'too_short',
    'Dictionary should have at least 2 items after validation, not 0',
    { field_type: 'Dictionary', min_length: 2, actual_length: 0 },
    'must have at least 2 fields, has 0',
  ],
  ['greater_than_equal', 'Input should be …', { ge: 1 }, 'must be at least 1'],
  ['multiple_of', 'Input should be a multiple of 5', { multiple_of: 5 }, 'must be a multiple of 5'],
  [
    'string_pattern_mismatch',
    'Input should be small letters',
    { pattern: '^a$' },
    'must be small letters',
  ],
  [
    'string_pattern_mismatch',
    "String should match pattern '^a$'",
    { pattern: '^a$' },
    "must match pattern '^a$'",
  ],
  ['value_error', 'Value error, input is not a valid email', undefined, 'is not a valid email'],
  ['of_tomorrow', 'Input should be blue', undefined, 'must be blue'],
  ['enum', "Input should be 'a'", undefined, "must be 'a'"],
])('%s: %s', (type, msg, ctx, expected) => {
  const violation = { loc: ['body', 'config', 'x'], type, msg, ...(ctx && { ctx }) };
  expect(violationMessage(violation)).toBe(expected);
});

it.each([
  ['a name of the schema', ['langauge'], 'unknown field; did you mean language?'],
  ['a name in a list', ['rules', 0, 'prot'], 'unknown field; did you mean port?'],
  ['a name of a form', ['target', 'adress'], 'unknown field; did you mean address?'],
  ['nothing alike', ['colour'], 'unknown field'],
  ['nothing there', ['rules', 'x', 'port'], 'unknown field'],
])('suggests %s', (_, path, expected) => {
  const loc = ['body', 'config', ...path];
  const violation = { loc, type: 'extra_forbidden', msg: 'Extra inputs are not permitted' };
  expect(violationMessage(violation, schema)).toBe(expected);
});

it('keeps the suggestion of the server for its own fields', () => {
  const msg = 'Extra inputs are not permitted; did you mean tags?';
  const violation = { loc: ['body', 'tag'], type: 'extra_forbidden', msg };
  expect(violationMessage(violation, schema)).toBe('unknown field; did you mean tags?');
});
