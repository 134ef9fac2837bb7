// Lists whose order means nothing, because a schema says so.
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';
import { differs, same, seen } from '../../../support/fixtures/observation/comparisons.ts';

const ofSets = { properties: { l: { uniqueItems: true } } };
const rules = {
  properties: {
    l: { uniqueItems: true, items: { properties: { ports: { uniqueItems: true } } } },
  },
};
it.each<[string, readonly JsonValue[], readonly JsonValue[], boolean]>([
  ['in any order', [1, 'a', null, 2], [2, null, 1, 'a'], true],
  ['with another item', [1, 2, 3], [3, 2, 4], false],
  ['with an item of another type', [1, 2], ['2', '1'], false],
  ['with more items', [1, 2], [2, 1, 3], false],
  ['with fewer items', [1, 2, 3], [3, 2], false],
  ['with an item twice', [1, 2], [2, 2], false],
  ['of objects whose members are in any order', [{ a: 1, b: 2 }, 1], [1, { b: 2, a: 1 }], true],
  [
    'of objects with more members',
    [{ a: 1 }, { a: 2 }],
    [
      { a: 2, b: 0 },
      { a: 1, b: 0 },
    ],
    true,
  ],
  [
    'of objects that differ',
    [{ a: 1 }, { a: 2 }],
    [
      { a: 2, b: 0 },
      { a: 3, b: 0 },
    ],
    false,
  ],
  [
    'of objects without a member',
    [
      { a: 1, b: 1 },
      { a: 2, b: 1 },
    ],
    [{ a: 2 }, { a: 1 }],
    true,
  ],
  [
    'where the first observed item fits two of the declared ones, and the other one fits one',
    [{ port: 80 }, { port: 80, from: 'a' }],
    [
      { port: 80, from: 'a', note: '' },
      { port: 80, from: 'b', note: '' },
    ],
    true,
  ],
  [
    'where one observed item fits two declared ones, and no other one fits',
    [
      { port: 80, to: 'x' },
      { port: 80, from: 'a' },
    ],
    [
      { port: 80, from: 'a', to: 'x' },
      { port: 81, from: 'a', to: 'x' },
    ],
    false,
  ],
  ['of lists, which have an order', [[1, 2], [3]], [[3], [2, 1]], false],
])('compares sets %s', (_name, declared, actual, isSame) => {
  const want = isSame ? same(1) : differs('/l', 1);
  expect(seen({ l: declared }, { l: actual }, { schema: ofSets })).toEqual(want);
});

it('compares sets in items of sets', () => {
  const declared = {
    l: [
      { to: 'a', ports: [1, 2] },
      { to: 'b', ports: [3] },
    ],
  };
  const isOther = (ports: readonly number[]) => ({
    l: [
      { to: 'b', ports: [3], id: 'r-2' },
      { to: 'a', ports, id: 'r-1' },
    ],
  });
  expect(seen(declared, isOther([2, 1]), { schema: rules })).toEqual(same(1));
  expect(seen(declared, isOther([2, 4]), { schema: rules })).toEqual(differs('/l', 1));
});

it.each<[string, JsonObject]>([
  ['the schema itself', ofSets],
  ['a branch', { allOf: [{}, ofSets] }],
  ['a definition', { $ref: '#/$defs/a', $defs: { a: ofSets } }],
  ['a pattern of names', { patternProperties: { '^l$': { uniqueItems: true } } }],
  ['additional members', { additionalProperties: { uniqueItems: true } }],
])('finds a set that %s declares', (_name, schema) => {
  expect(seen({ l: [1, 2] }, { l: [2, 1] }, { schema })).toEqual(same(1));
});

it('finds a set in one place of a tuple, in all other items, and in a schema that refers to itself', () => {
  const tuple = { properties: { l: { prefixItems: [{}, { uniqueItems: true }], items: {} } } };
  const pairs = [
    [1, 2],
    [1, 2],
    [1, 2],
  ];
  const turned = pairs.map((each) => each.toReversed());
  expect(seen({ l: pairs }, { l: turned }, { schema: tuple })).toEqual(
    differs(['/l/0/0', '/l/0/1', '/l/2/0', '/l/2/1'], 5),
  );
  const rest = { properties: { l: { prefixItems: [{}], items: { uniqueItems: true } } } };
  expect(seen({ l: pairs }, { l: turned }, { schema: rest })).toEqual(
    differs(['/l/0/0', '/l/0/1'], 4),
  );
  const deep = { properties: { next: { $ref: '#' }, l: { uniqueItems: true } } };
  const nested = (l: readonly number[]) => ({ next: { next: { next: { l } } } });
  expect(seen(nested([1, 2]), nested([2, 1]), { schema: deep })).toEqual(same(1));
});

it('compares what a schema describes as another list by position', () => {
  const schema = { properties: { l: { uniqueItems: false }, other: { uniqueItems: true } } };
  expect(seen({ l: [1, 2] }, { l: [2, 1] }, { schema })).toEqual(differs(['/l/0', '/l/1'], 2));
});

it('finds a large set in another order the same, and one that differs by an item another', () => {
  const schema = { properties: { l: { uniqueItems: true } } };
  const numbers = Array.from({ length: 20_000 }, (_, at) => at);
  const reversed = numbers.toReversed();
  expect(seen({ l: numbers }, { l: reversed }, { schema })).toEqual(same(1));
  const other = reversed.with(7, -1);
  expect(seen({ l: numbers }, { l: other }, { schema })).toEqual(differs('/l', 1));
});

it('takes a set of objects that needs too many comparisons for another one', () => {
  const schema = { properties: { l: { uniqueItems: true } } };
  const items = (count: number, more: object) =>
    Array.from({ length: count }, (_, n) => ({ n, ...more }));
  const ofLength = (count: number) =>
    seen({ l: items(count, {}) }, { l: items(count, { id: 1 }).toReversed() }, { schema });
  expect(ofLength(300)).toEqual(same(1));
  expect(ofLength(20_000)).toEqual(differs('/l', 1));
});
