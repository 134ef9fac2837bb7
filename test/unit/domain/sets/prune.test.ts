// Which policy of a set is in force, and which requests need an approved plan.
import { describe, expect, it } from 'vitest';
import {
  decidePrune,
  type PruneDecision,
  type PruneRequest,
  prunePolicies,
  type RemovalRequest,
  whyPlanIsRequired,
} from '../../../../src/domain/sets/prune.ts';

type Row = readonly [
  reason: string,
  Pick<PruneRequest, 'stored' | 'asked'> & Partial<PruneRequest>,
  policy: PruneDecision['policy'],
  stores: PruneDecision['stores'],
];

it.each<Row>([
  ['A new set keeps.', { stored: undefined, asked: undefined }, 'keep', 'keep'],
  ['The first request chooses any.', { stored: undefined, asked: 'delete' }, 'delete', 'delete'],
  ['None given: the stored one.', { stored: 'orphan', asked: undefined }, 'orphan', 'orphan'],
  ['More careful: for this request.', { stored: 'delete', asked: 'keep' }, 'keep', 'delete'],
  ['Approved, it stays.', { stored: 'delete', asked: 'keep', hasPlan: true }, 'keep', 'keep'],
  ['Less careful: stored.', { stored: 'keep', asked: 'leave', hasPlan: true }, 'leave', 'leave'],
  [
    'A deletion: for itself.',
    { stored: 'keep', asked: 'delete', isDeletion: true },
    'delete',
    'keep',
  ],
  [
    'An approved deletion, too.',
    { stored: 'keep', asked: 'delete', isDeletion: true, hasPlan: true },
    ...(['delete', 'keep'] as const),
  ],
  [
    'A deletion of a set that nobody has applied.',
    { stored: undefined, asked: 'orphan', isDeletion: true },
    ...(['orphan', 'keep'] as const),
  ],
])('%s', (_reason, request, policy, stores) => {
  const asked = { hasPlan: false, isDeletion: false, ...request };
  expect(decidePrune(asked)).toMatchObject({ policy, stores });
  if (asked.isDeletion) expect(decidePrune(asked).isLessCareful).toBe(false);
});

it('orders the policies by care', () => {
  for (const [index, stored] of prunePolicies.entries()) {
    const less = prunePolicies.map(
      (asked) => decidePrune({ stored, asked, hasPlan: false, isDeletion: false }).isLessCareful,
    );
    expect(less).toEqual(prunePolicies.map((_each, at) => at > index));
  }
});

describe('an approved plan is required', () => {
  const asked = (more: Partial<RemovalRequest>): RemovalRequest => ({
    ...{ listed: 5, members: 5, removed: 0, isLessCareful: false },
    ...more,
  });
  it.each<readonly [string, Partial<RemovalRequest>, string | undefined]>([
    ['An ordinary request.', {}, undefined],
    ['A new set.', { members: 0 }, undefined],
    ['An empty folder.', { listed: 0, members: 0 }, 'names no resource'],
    ['All members.', { members: 2, removed: 2 }, 'all members'],
    ['Most of few.', { members: 9, removed: 8 }, undefined],
    ['Half of many.', { members: 10, removed: 5 }, undefined],
    ['More than half of many.', { members: 10, removed: 6 }, '6 of 10'],
    ['Less careful.', { isLessCareful: true }, 'less carefully'],
  ])('%s', (_reason, more, why) => {
    const found = whyPlanIsRequired(asked(more));
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(why);
  });
});
