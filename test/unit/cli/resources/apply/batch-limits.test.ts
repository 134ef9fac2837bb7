import { expect, it } from 'vitest';
import { batchesOf } from '../../../../../src/cli/resources/apply/batch-limits.ts';
import type { Declaration } from '../../../../../src/cli/resources/declarations/declaration.ts';
import type { JsonObject } from '../../../../../src/lib/json.ts';

const declared = (name: string, config: JsonObject): Declaration => ({
  ...{ ref: `box/crate/${name}`, place: '', placeOf: () => '' },
  body: { provider: 'box', resource: 'crate', name, config, lifecycle_state: 'pending' },
});

const values = (count: number) => ({ list: Array.from({ length: count }, () => 1) });

it.each<[string, JsonObject, number, readonly number[]]>([
  ['500 documents', {}, 500, [500]],
  ['more documents', {}, 1_001, [500, 500, 1]],
  ['4 MB', { text: 'x'.repeat(900_000) }, 9, [4, 4, 1]],
  ['99,000 values', values(40_000), 5, [2, 2, 1]],
  ['values in objects and lists', { a: [{ b: values(24_740) }] }, 5, [4, 1]],
  ['a document that no batch takes', values(100_000), 2, [1, 1]],
])('divides at %s', (_, config, count, sizes) => {
  const declarations = Array.from({ length: count }, (_each, at) => declared(`c-${at}`, config));
  expect(batchesOf({ declarations }).map(({ length }) => length)).toEqual(sizes);
});
