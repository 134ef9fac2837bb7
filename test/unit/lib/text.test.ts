import { expect, it } from 'vitest';
import {
  byCodeUnit,
  escapedHtml,
  figure,
  firstNames,
  percentDecoded,
  truncate,
} from '../../../src/lib/text.ts';

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

it.each([
  { names: ['a', 'b'], most: 2, total: 2, want: 'a, b' },
  { names: ['a', 'b', 'c'], most: 2, total: 3, want: 'a, b and 1 more' },
  { names: ['a', 'b'], most: 2, total: 9, want: 'a, b and 7 more' },
  { names: [], most: 2, total: 0, want: '' },
  { names: [], most: 2, total: 4, want: 'and 4 more' },
])('names the first of $total names: $want', ({ names, most, total, want }) => {
  expect(firstNames(names, most, total)).toBe(want);
});

it('decodes a percent-encoded text, and leaves one that is not valid', () => {
  expect(percentDecoded('a%2Fb')).toBe('a/b');
  expect(percentDecoded('100%')).toBe('100%');
});

it('orders by code units, and escapes HTML', () => {
  expect(['b', 'a', 'B', 'a'].sort(byCodeUnit)).toEqual(['B', 'a', 'a', 'b']);
  expect(escapedHtml(`<a b="c" d='&'>`)).toBe('&lt;a b=&quot;c&quot; d=&#39;&amp;&#39;&gt;');
});
