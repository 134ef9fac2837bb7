import { describe, expect, it } from 'vitest';
import type { CauseGroup } from '../../../../../src/api/shapes.ts';
import { causesOf, driftState } from '../../../../../src/console/pages/resources/cause-groups.ts';
import type { ListedResource } from '../../../../../src/console/pages/resources/model.ts';

const reasons: Readonly<Record<string, string>> = {
  ready: 'Drifted',
  suspended: 'CorrectionsHeld',
};

const cause = (state: string, count: number, ...names: string[]) =>
  ({
    cause: { kind: 'provider', ref: `of ${names[0]}`, state, reason: reasons[state] ?? null },
    count,
    resources: names.map((name) => `pg/role/${name}`),
    dead_letter: null,
  }) as unknown as CauseGroup;

const shown = (lifecycle_state: string, ...names: string[]) =>
  names.map((name) => ({
    ...{ provider: 'pg', resource: 'role', name, lifecycle_state },
    deletion_requested_at: null,
  })) as unknown as ListedResource[];

const held = { ...shown('ready', 'i')[0], drift: { kind: 'gone' } } as ListedResource;
const drifted = { ...shown('ready', 'h')[0], drift: { kind: 'changed' } } as ListedResource;

const groups = [
  cause('waiting', 9, 'a', 'b'),
  cause('failed', 1, 'c'),
  cause('failed', 40, 'd', 'e'),
  cause('refused', 2, 'f', 'g'),
  cause('ready', 1, 'h'),
  cause('suspended', 2, 'i', 'j'),
];

describe('the causes of the resources that are shown', () => {
  it.each<[string, readonly ListedResource[], string]>([
    ['failures first, the greatest of them first', shown('failed', 'a', 'c', 'd', 'f'), 'd f c a'],
    ['those of one resource alone', shown('failed', 'c'), 'c'],
    ['none for resources that are ready', shown('ready', 'a', 'c'), ''],
    ['none without a match', [], ''],
    [
      'drift between failures and what waits',
      [...shown('failed', 'c', 'a'), drifted, held],
      'c i h a',
    ],
    ['those that list only a part of their resources', shown('failed', 'x'), 'd a'],
    ['and no such ones when the lists name all', shown('pending', 'b', 'c'), 'c a'],
  ])('are %s', (_, resources, expected) => {
    const found = causesOf(groups, resources);
    expect(found.map(({ cause: { ref } }) => ref.slice('of '.length)).join(' ')).toBe(expected);
  });
});

it('shows the state of drift, and of corrections that are held', () => {
  expect(
    groups
      .map(({ cause: each }) => driftState(each))
      .join(' ')
      .trim(),
  ).toBe('drifted held');
});
