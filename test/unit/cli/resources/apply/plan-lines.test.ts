import { expect, it } from 'vitest';
import type { MemberPlan } from '../../../../../src/api/shapes.ts';
import { plannedCounts } from '../../../../../src/cli/resources/apply/changes.ts';
import { type LinedPlan, planLines } from '../../../../../src/cli/resources/apply/plan-lines.ts';
import { styleOf } from '../../../../../src/cli/terminal/style.ts';
import { batchMember } from '../../../../support/clients/batches.ts';

const style = styleOf({ colours: false, unicode: true });
const difference = { path: 'config.net.cidr', before: 'x', after: 'y' };
const ref = 'postgres/database/c';

const linesOf = (more: Partial<MemberPlan>, plan: Partial<LinedPlan> = {}) =>
  planLines({ members: [batchMember('c', more)], touches: [], ...plan }, style);

it.each<[string, Partial<MemberPlan>, readonly string[]]>([
  [
    'a field within one that cannot change',
    { differences: [difference], forced_by: ['config.net'] },
    ['    ~ config.net.cidr: "x" → "y"  # forces replacement'],
  ],
  [
    'a field beside it',
    { differences: [difference], forced_by: ['config.network'] },
    ['    ~ config.net.cidr: "x" → "y"', '    ~ config.network  # forces replacement'],
  ],
  [
    'a reference whose value is another now',
    { forced_by: ['config.url'] },
    ['    ~ config.url  # forces replacement'],
  ],
  [
    'what refuses it now',
    { blocked_by: { code: 'resource_protected', message: 'It is protected' } },
    ['    refused now: It is protected'],
  ],
])('shows a replacement because of %s', (_, more, lines) => {
  expect(linesOf({ change: 'replace', ...more })).toEqual([
    `-/+ ${ref}  replace: deleted, and created again`,
    ...lines,
  ]);
});

it('shows what a change depends on, and what depends on it', () => {
  const user = batchMember('u', {
    change: 'none',
    known_after: [{ path: 'config.url', resource: ref }],
  });
  const member = batchMember('c', { change: 'update', waits_for: ['a/b/c'], drift: true });
  const touches = [
    { resource: 'a/b/d', through: ref },
    { resource: 'a/b/e', through: 'a/b/f' },
  ];
  expect(planLines({ members: [member, user], touches }, style)).toEqual([
    `~ ${ref}`,
    `    has drifted: fairlead get ${ref}`,
    '    waits for a/b/c',
    '    used by postgres/database/u, a/b/d: updated when an output changes',
  ]);
});

it('does not say that a user is updated that is replaced', () => {
  const known_after = [{ path: 'config.url', resource: ref }];
  const user = batchMember('u', { change: 'replace', forced_by: ['config.url'], known_after });
  const lines = planLines(
    { members: [batchMember('c', { change: 'replace' }), user], touches: [] },
    style,
  );
  expect(lines.join('\n')).not.toContain('used by');
  expect(lines).toContain('    ~ config.url  # forces replacement');
});

it.each<[MemberPlan['change'], string]>([
  ['create', `+ ${ref}`],
  ['import', `+ ${ref}  imported: nothing is created or changed`],
  ['retry', `! ${ref}  failed, and would be processed again`],
  ['fields', `~ ${ref}`],
  ['join', `~ ${ref}`],
  ['take', `~ ${ref}  taken from another set`],
  ['leave', `~ ${ref}  leaves the set, and stays`],
  ['orphan', `- ${ref}  removed; what its provider created stays`],
  ['delete', `- ${ref}  deleted`],
])('has a sign for %s', (change, line) => {
  const differences = [{ path: 'protected', after: true }];
  expect(linesOf({ change, differences })).toEqual([line, '    + protected: true']);
});

it('shows nothing of what is unchanged', () => {
  expect(linesOf({ change: 'none' })).toEqual([]);
});

it('lets no text of others begin a line', () => {
  const message = 'It is\n+ postgres/database/other';
  const [, ...lines] = linesOf({ blocked_by: { code: 'resource_busy', message } });
  expect(lines).toHaveLength(1);
  expect(lines.join()).not.toContain('\n');
});

it('counts in the words of each change, and names two of them always', () => {
  const changes = ['none', 'join', 'update', 'delete', 'leave', 'none'] as const;
  const members = changes.map((change) => batchMember('c', { change }));
  expect(plannedCounts(members)).toBe(
    '0 to create, 2 to change, 1 to leave the set, 1 to delete, 2 unchanged',
  );
  expect(plannedCounts([])).toBe('0 to create, 0 unchanged');
  const other = { change: 'freeze' } as unknown as MemberPlan;
  expect(plannedCounts([other])).toBe('0 to create, 0 unchanged, 1 to freeze');
});
