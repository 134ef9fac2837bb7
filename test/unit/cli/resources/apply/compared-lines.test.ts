import { expect, it } from 'vitest';
import type { ComparedDeclaration } from '../../../../../src/cli/resources/apply/compare.ts';
import { comparedLines } from '../../../../../src/cli/resources/apply/compared-lines.ts';
import { styleOf } from '../../../../../src/cli/terminal/style.ts';

const style = styleOf({ colours: false, unicode: true });
const replaced: ComparedDeclaration = {
  ...{ resource: 'a/b/c', change: 'replace', users: [], obstacle: null },
  differences: [{ path: 'config.net.cidr', before: 'x', after: 'y' }],
  forced_by: ['config.net'],
};

it.each<[string, Partial<ComparedDeclaration>, readonly string[]]>([
  [
    'a field within one that cannot change',
    {},
    ['    ~ config.net.cidr: "x" → "y"  # forces replacement'],
  ],
  [
    'a field beside it',
    { forced_by: ['config.network'] },
    ['    ~ config.net.cidr: "x" → "y"', '    ~ config.network  # forces replacement'],
  ],
  [
    'a reference whose value is another now',
    { differences: [], forced_by: ['config.url'] },
    ['    ~ config.url  # forces replacement'],
  ],
  [
    'protection and users',
    { differences: [], forced_by: [], obstacle: 'protected', users: ['a/b/d', 'a/b/e'] },
    [
      '    protected: not replaced before fairlead unprotect a/b/c',
      '    used by a/b/d, a/b/e: not replaced while they use it',
    ],
  ],
])('shows a replacement because of %s', (_, more, lines) => {
  expect(comparedLines({ ...replaced, ...more }, style)).toEqual([
    '-/+ a/b/c  replace: deleted, and created again',
    ...lines,
  ]);
});

it('shows options as changes, and nothing of what is unchanged', () => {
  const options = { ...replaced, change: 'options', forced_by: [] };
  const differences = [{ path: 'protected', after: true }];
  expect(comparedLines({ ...options, differences }, style)).toEqual([
    '~ a/b/c',
    '    + protected: true',
  ]);
  expect(comparedLines({ ...options, change: 'none' }, style)).toEqual([]);
});
