// One rule about numbers, on the value.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseStrictJson } from '../../../src/http/request/strict-json.ts';
import { inexactNumberIn } from '../../../src/lib/inexact-number.ts';
import type { JsonValue } from '../../../src/lib/json.ts';
import { isExactNumber, isKeptNumber } from '../../../src/lib/numbers.ts';

const limits = { depth: 64, nodes: 1_000 };

function accepted(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: parseStrictJson(text, limits) };
  } catch {
    return undefined;
  }
}

const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/);

it('accepts a record that is sent back, whatever spelling it had', () => {
  const spellings = fc.oneof(
    digits,
    fc.constantFrom(
      '1e20',
      '9007199254740993.0',
      '1E400',
      '-0',
      '-0.0',
      '9007199254740991',
      '1e15',
    ),
  );
  fc.assert(
    fc.property(spellings, (text) => {
      const first = accepted(text);
      expect(first === undefined).toBe(!isKeptNumber(text, Number(text)));
      if (first !== undefined) expect(accepted(JSON.stringify(first.value))).toBeDefined();
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ['1e20', false],
  ['9007199254740993.0', false],
  ['9007199254740992', false],
  ['9007199254740991', true],
  ['1E400', false],
  ['1e-400', false],
  ['-0', true],
  ['0e5', true],
  ['0.1', true],
])('%s is kept: %s', (text, is) => {
  expect(isKeptNumber(text, Number(text))).toBe(is);
});

it('names the place of a number that is not exact, at any depth', () => {
  expect(inexactNumberIn({ a: [0, { b: 2 ** 53 }] })).toEqual(['a', 1, 'b']);
  expect(inexactNumberIn({ a: [0, { b: 2 ** 53 - 1 }], c: 'x' })).toBeUndefined();
  let deep: JsonValue = 1e300;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(inexactNumberIn(deep)).toHaveLength(100_000);
  expect(isExactNumber(0.5)).toBe(true);
});
