import { expect, it } from 'vitest';
import { figure, truncate } from '../../../src/lib/text.ts';

it.each([
  { text: 'abcd', maxLength: 4, want: 'abcd', reason: 'What fits stays as it is.' },
  { text: 'abcde', maxLength: 4, want: 'abc…', reason: 'The ellipsis counts.' },
  { text: 'ab😀c', maxLength: 4, want: 'ab…', reason: 'Half of a character cannot be stored.' },
  { text: 'ab😀cd', maxLength: 5, want: 'ab😀…', reason: 'A whole one can.' },
])('truncates $text to $want', ({ text, maxLength, want, reason }) => {
  expect(truncate(text, maxLength), reason).toBe(want);
  expect(truncate(text, maxLength).length, reason).toBeLessThanOrEqual(maxLength);
});

it.each([
  [0, '0'],
  [999, '999'],
  [1_204, '1,204'],
  [-12_345, '-12,345'],
  [1_000_000, '1,000,000'],
  [1_204.5, '1,204.5'],
  [0.123_456, '0.123'],
])('writes %d as %s', (number, text) => {
  expect(figure(number)).toBe(text);
});
