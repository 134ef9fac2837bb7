import { expect, it } from 'vitest';
import { lineDiff } from '../../../src/lib/line-diff.ts';

const text = (lines: readonly (string | number)[]) => `${lines.join('\n')}\n`;
const shown = (before: readonly (string | number)[], after: readonly (string | number)[]) =>
  lineDiff(text(before), text(after), 1).map(({ sign, text: line }) => `${sign}${line}`);

it.each([
  ['equal texts', ['a', 'b'], ['a', 'b'], []],
  ['a changed line', [1, 2, 'a', 3, 4], [1, 2, 'b', 3, 4], [' 2', '-a', '+b', ' 3']],
  ['an added line', [1, 2], [1, 'new', 2], [' 1', '+new', ' 2']],
  ['a removed line at the end', [1, 2], [1], [' 1', '-2']],
  [
    'changes far from each other',
    ['a', 1, 2, 3, 4, 'b'],
    ['A', 1, 2, 3, 4, 'B'],
    ['-a', '+A', ' 1', '…', ' 4', '-b', '+B'],
  ],
])('shows %s', (_name, before, after, want) => {
  expect(shown(before, after)).toEqual(want);
});

it('shows texts that are too long to compare as removed and added', () => {
  const many = (name: string) => Array.from({ length: 2_100 }, (_, at) => `${name}${at}`);
  const lines = lineDiff(text(many('a')), text(many('b')));
  expect(lines).toHaveLength(4_200);
});
