import { expect, it } from 'vitest';
import { formatOf, valueAt } from '../../../../src/cli/render/format.ts';
import { styleOf } from '../../../../src/cli/render/style.ts';
import { type Column, tableLines } from '../../../../src/cli/render/table.ts';
import { ageOf, clockTime, elapsed, sizeText } from '../../../../src/client/time.ts';
import { cut, safe, widthOf, wrapped } from '../../../../src/client/width.ts';

const columns: readonly Column<readonly string[]>[] = [
  { title: 'NAME', cell: ([name = '']) => name },
  { title: 'ID', wide: true, cell: ([, id = '']) => id },
  { title: 'REASON', cell: ([, , reason = '']) => reason },
];
const reason = 'waits for postgres/role/seller, which has failed for the fifth time';
const rows = [
  ['orders', '1', ''],
  ['数据库', '2', reason],
];

function lines(width: number | undefined, wide = false): string[] {
  const style = styleOf({ colours: false, unicode: true });
  return tableLines(rows, columns, { look: { style, now: new Date(), wide }, width });
}

it.each([
  [
    40,
    [
      'NAME    REASON',
      'orders',
      '数据库  waits for postgres/role/seller,',
      '        which has failed for the fifth',
      '        time',
    ],
  ],
  [80, ['NAME    REASON', 'orders', `数据库  ${reason}`]],
  [200, ['NAME    REASON', 'orders', `数据库  ${reason}`]],
  [undefined, ['NAME    REASON', 'orders', `数据库  ${reason}`]],
])('wraps the last column at %s, and cuts nothing', (width, expected) => {
  expect(lines(width)).toEqual(expected);
});

it('shows more columns with wide', () => {
  expect(lines(undefined, true)[0]).toBe('NAME    ID  REASON');
});

it.each([
  ['abc', 3],
  ['数据', 4],
  ['é', 1],
  ['👍🏽', 2],
  ['\u001b[31mred\u001b[0m', 3],
])('measures %j', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

it('cuts by columns, and never half a character', () => {
  expect(cut('数据库', 5)).toBe('数据…');
  expect(cut('short', 5)).toBe('short');
  expect(wrapped('a-word-that-is-longer than this', 6)).toEqual([
    'a-word-that-is-longer',
    'than',
    'this',
  ]);
});

it.each([
  ['\u001b[2J', '\\u001b[2J'],
  ['a\u009b31mb', 'a\\u009b31mb'],
  ['\u202eevil', '\\u202eevil'],
  ['two\r\nlines', 'two\nlines'],
])('makes %j harmless', (text, expected) => {
  expect(safe(text)).toBe(expected);
});

it.each([
  [0, '0s'],
  [59_999, '59s'],
  [180_000, '3m'],
  [172_800_000, '2d'],
])('shows an age of %i ms as %s', (ms, text) => {
  expect(ageOf(ms)).toBe(text);
});

it('shows durations, times and sizes', () => {
  expect([elapsed(1_234), elapsed(125_000)]).toEqual(['1.2s', '2m05s']);
  expect([sizeText(999), sizeText(14_200), sizeText(2_500_000)]).toEqual([
    '999 B',
    '14 kB',
    '2.5 MB',
  ]);
  const now = new Date(2026, 0, 31, 12, 0);
  expect(clockTime(new Date(2026, 0, 31, 9, 5), now)).toBe('09:05');
  expect(clockTime(new Date(2026, 1, 1, 9, 5), now)).toBe('2026-02-01 09:05');
});

it('reads formats and paths', () => {
  expect(formatOf('value=outputs.urls[0].host')).toEqual({
    kind: 'value',
    path: ['outputs', 'urls', '0', 'host'],
  });
  expect(valueAt({ outputs: { urls: [{ host: 'h' }] } }, ['outputs', 'urls', '0', 'host'])).toBe(
    'h',
  );
  expect(valueAt({}, ['constructor'])).toBeUndefined();
  expect(() => formatOf('xml')).toThrow('must be one of');
});
