import { expect, it } from 'vitest';
import { halfSha256Hex } from '../../../src/domain/identity.ts';
import { canonicalHash } from '../../../src/lib/canonical-hash.ts';
import { canonicalJson, type JsonValue } from '../../../src/lib/json.ts';

it.each<[string, JsonValue, string]>([
  ['sorted at every level', { a: [{ b: 1, c: null }], d: 'x' }, '{"a":[{"b":1,"c":null}],"d":"x"}'],
  ['unsorted at the top', { b: 1, a: 2 }, '{"a":2,"b":1}'],
  ['unsorted in a list', { a: [{ c: 1, b: 2 }, 3] }, '{"a":[{"b":2,"c":1},3]}'],
  ['a list', ['b', 'a'], '["b","a"]'],
  [
    'names that are numbers, which engines order otherwise',
    { 10: 'a', 9: 'b' },
    '{"10":"a","9":"b"}',
  ],
  ['names beyond the basic plane', { '\uFFFD': 2, '\u{1F600}': 1 }, '{"\u{1F600}":1,"\uFFFD":2}'],
  ['a negative zero', { a: -0 }, '{"a":0}'],
  ['an undefined member, sorted', { a: 1, b: undefined } as unknown as JsonValue, '{"a":1}'],
  ['an undefined member, unsorted', { b: 1, a: undefined } as unknown as JsonValue, '{"b":1}'],
])('is that of the canonical text: %s', (_, value, text) => {
  expect(canonicalJson(value)).toBe(text);
  expect(canonicalHash(value)).toBe(halfSha256Hex(text));
});

it('has a text for nothing, which is that of null', () => {
  expect(canonicalJson(undefined)).toBe('null');
});
