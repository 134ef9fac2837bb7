import { describe, expect, it } from 'vitest';
import {
  leftOf,
  removalPlan,
  type SetMember,
  setMembers,
  setRows,
  unlistedAmong,
} from '../../../../../src/console/pages/sets/model.ts';

const main = 'default-0f1e2d3c4b5a';

function member(name: string, set: string | null, changes: Partial<SetMember> = {}): SetMember {
  return {
    ...{ id: `resource:pg_role_${name}`, provider: 'pg', resource: 'role', name, set },
    ...{ project_id: main, project_name: 'default', lifecycle_state: 'ready' },
    ...{ reason: 'Processed', drift: null, tags: null, deletion_requested_at: null },
    ...changes,
  };
}

const inWeb = { project_id: 'web', project_name: 'Web' };
const deleting = {
  ...({ lifecycle_state: 'processing' } as const),
  deletion_requested_at: '2026-01-31T12:00:00Z',
};
const resources = [
  member('a', 'shop'),
  member('b', 'shop', { lifecycle_state: 'failed' }),
  member('c', 'shop', deleting),
  member('d', 'shop', inWeb),
  member('e', 'wiki'),
  member('f', null),
];
const names = (found: readonly { readonly name: string }[]) =>
  found.map(({ name }) => name).join(' ');

describe('the members of a set', () => {
  it('are those of its project, and those of them in deletion', () => {
    expect(names(setMembers({ set: 'shop', project_id: main }, resources))).toBe('a b c');
    expect(names(setMembers({ set: 'shop', project_id: 'web' }, resources))).toBe('d');
    expect(names(setMembers({ set: 'none', project_id: main }, resources))).toBe('');
  });

  it.each([
    ['any project', undefined, 'a b c d'],
    ['a project by id', 'web', 'd'],
    ['a project by name', 'default', 'a b c'],
  ])('are found in %s when the set is gone', (_, project, want) => {
    expect(names(leftOf({ name: 'shop', project }, resources))).toBe(want);
  });

  it('are unlisted while they are members', () => {
    const left = ['pg/role/f', 'pg/role/b', 'pg/role/z'];
    const members = setMembers({ set: 'shop', project_id: main }, resources);
    expect(names(unlistedAmong(left, members))).toBe('b');
  });
});

describe('the list of sets', () => {
  const sets = [
    ...['wiki', 'empty', 'shop', 'apps'].map((set) => ({ set, project_id: main })),
    { set: 'shop', project_id: 'web', project: 'Web' },
    { set: 'late', project_id: main, complete: false },
  ].map((each) => ({ complete: null, project: 'default', ...each }));
  const shown = (text: string, of = resources) =>
    setRows(sets, of, text).map(({ set: { set, project_id }, states }) =>
      [
        ...(project_id === main ? [set] : [`${project_id}/${set}`]),
        ...states.map(([word, count]) => `${count} ${word}`),
      ].join(' '),
    );

  it('has what is incomplete first, then what has failed, then the rest by name', () => {
    expect(shown('')).toEqual([
      'late',
      'shop 1 failed 1 deleting 1 ready',
      'apps',
      'empty',
      'web/shop 1 ready',
      'wiki 1 ready',
    ]);
  });

  it('has what is gone as what has failed', () => {
    const drift = { since: '', changes: [], total: 1, compared: 3, unknown: 0 };
    const gone = member('g', 'wiki', { drift: { ...drift, kind: 'gone' } });
    expect(shown('', [gone])[1]).toBe('wiki 1 gone');
  });

  it.each([
    ['a part of a name', ' SHO ', ['shop 1 failed 1 deleting 1 ready', 'web/shop 1 ready']],
    ['a project', 'web', ['web/shop 1 ready']],
    ['nothing', 'x', []],
  ])('matches %s', (_, text, want) => {
    expect(shown(text)).toEqual(want);
  });
});

it('the plan of a deletion counts what changes, and names what would be refused', () => {
  const planned = (resource: string, change: 'delete' | 'none', code?: string) => ({
    ...{ resource, id: `resource:${resource}`, change },
    blocked_by: code === undefined ? null : { code, message: `${code}!` },
  });
  expect(
    removalPlan([
      planned('pg/role/a', 'delete'),
      planned('pg/role/b', 'delete', 'resource_protected'),
      planned('pg/role/c', 'none'),
    ]),
  ).toEqual({
    changed: 2,
    blocked: [{ resource: 'pg/role/b', message: 'resource_protected!' }],
  });
  expect(removalPlan([])).toEqual({ changed: 0, blocked: [] });
});
