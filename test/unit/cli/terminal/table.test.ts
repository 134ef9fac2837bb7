import { expect, it } from 'vitest';
import { formatOf, valueAt } from '../../../../src/cli/terminal/format.ts';
import { proseLines } from '../../../../src/cli/terminal/prose.ts';
import { styleOf } from '../../../../src/cli/terminal/style.ts';
import { type Column, fittedLines, tableLines } from '../../../../src/cli/terminal/table.ts';
import { ageOf, clockTime, elapsed, sizeText } from '../../../../src/client/time.ts';
import { cut, cutMiddle, safe, widthOf, wrapped } from '../../../../src/client/width.ts';

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

const style = styleOf({ colours: false, unicode: true });

function lines(width: number | undefined, wide = false, records = rows): string[] {
  return tableLines(records, columns, { look: { style, now: new Date(), wide }, width });
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

const long = ['box/crate/orders-2026-of-the-region-north-west-eu', '1', reason];

it.each([
  [
    24,
    [
      'NAME',
      '  REASON',
      'box/crate/or…rth-west-eu',
      '  waits for',
      '  postgres/role/seller,',
      '  which has failed for',
      '  the fifth time',
    ],
  ],
  [
    40,
    [
      'NAME                REASON',
      'box/crate…-west-eu  waits for',
      '                    postgres/r…e/seller,',
      '                    which has failed for',
      '                    the fifth time',
    ],
  ],
  [
    60,
    [
      'NAME                                    REASON',
      'box/crate/orders-20…gion-north-west-eu  waits for',
    ],
  ],
])('[F16] fits a long name into %i columns', (width, expected) => {
  const shown = lines(width, false, [long]);
  expect(shown.slice(0, expected.length)).toEqual(expected);
});

it.each([40, 60, 80, 120])('[F16] fits tables of long names into %i columns', (width) => {
  const names = [long, ...rows, ['x'.repeat(200), '3', `https://${'y'.repeat(200)} is away`]];
  for (const line of lines(width, false, names)) expect(widthOf(line)).toBeLessThanOrEqual(width);
  expect(lines(width, true, names)).toEqual(lines(undefined, true, names));
  expect(lines(undefined, false, names).join('\n')).not.toContain('…');
});

it.each([40, 60, 80, 120])(
  '[F16] keeps one line for each row of progress at %i columns',
  (width) => {
    const row = [`  ✓ ${long[0]}`, 'created', 'ready', '0.2s', ''];
    const [line = '', ...more] = fittedLines([row], width);
    expect(more).toEqual([]);
    expect(widthOf(line)).toBeLessThanOrEqual(width);
    expect(line).toMatch(/west-eu {2}created {2}ready {2}0\.2s$/);
  },
);

const note =
  'Nothing was deleted.  The resources that exist: fairlead get box/crate --all-projects';

it.each([
  [100, [note]],
  [70, ['Nothing was deleted.', 'The resources that exist: fairlead get box/crate --all-projects']],
  [
    20,
    [
      'Nothing was deleted.',
      'The resources that',
      'exist:',
      '  fairlead get box/crate --all-projects',
    ],
  ],
  [undefined, [note]],
])('[F16] breaks sentences at words, and commands never, at %s', (width, expected) => {
  expect(proseLines(note, width)).toEqual(expected);
  expect(proseLines(`  ${note}`, width && width + 2)).toEqual(expected.map((line) => `  ${line}`));
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
  expect(cutMiddle('数据库数据库', 8)).toBe('数据…库');
  expect(cutMiddle('orders-2026-archive-eu', 14)).toBe('orders-…ive-eu');
  expect(cutMiddle('short', 5)).toBe('short');
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
