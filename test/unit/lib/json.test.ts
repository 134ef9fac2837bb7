import { expect, it } from 'vitest';
import { jsonIn, ownMember } from '../../../src/lib/json.ts';

it.each([
  ['{"a":[1]}', { a: [1] }],
  ['null', null],
  ['', undefined],
  ['{', undefined],
])('reads %s as JSON', (text, want) => {
  expect(jsonIn(text)).toEqual(want);
});

it.each([
  [{ a: 1 }, 'a', 1],
  [{ a: 1 }, 'toString', undefined],
  [['x'], '0', undefined],
  ['text', 'length', undefined],
  [null, 'a', undefined],
  [undefined, 'a', undefined],
])('finds in %j the member %s', (value, name, want) => {
  expect(ownMember(value, name)).toBe(want);
});
