import { expect, it } from 'vitest';
import { halfSha256Hex } from '../../../src/domain/identity.ts';
import { canonicalHash } from '../../../src/lib/canonical-hash.ts';
import { canonicalJson, type JsonObject } from '../../../src/lib/json.ts';

it.each<[string, JsonObject]>([
  ['sorted at every level', { a: [{ b: 1, c: null }], d: { e: 'x' } }],
  ['unsorted at the top', { b: 1, a: 2 }],
  ['unsorted in a list', { a: [{ c: 1, b: 2 }] }],
  ['names that are numbers, which engines order otherwise', { 10: 'a', 9: 'b' }],
  ['names beyond the basic plane', { '\u{1F600}': 1, '\uFFFD': 2 }],
  ['a negative zero', { a: -0 }],
])('is that of the canonical text: %s', (_, value) => {
  expect(canonicalHash(value)).toBe(halfSha256Hex(canonicalJson(value)));
});
