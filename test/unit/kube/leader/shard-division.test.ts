import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  divide,
  type ShardLease,
  unclaimedMs,
} from '../../../../src/kube/leader/shard-division.ts';

const held = (holder: string): ShardLease => ({ holder, isExpired: false, freeMs: 0 });
const expired = (holder: string): ShardLease => ({ holder, isExpired: true, freeMs: 1 });
const free = (freeMs = 1): ShardLease => ({ holder: undefined, isExpired: false, freeMs });

interface Case {
  readonly title: string;
  readonly leases: readonly ShardLease[];
  readonly members: readonly string[];
  readonly mayTake: readonly number[];
  readonly surplus: number;
}

const cases: readonly Case[] = [
  {
    title: 'a single replica takes all',
    leases: [free(), free()],
    members: ['a'],
    mayTake: [0, 1],
    surplus: 0,
  },
  { title: 'half of two', leases: [free(), free()], members: ['a', 'b'], mayTake: [0], surplus: 0 },
  {
    title: 'nothing above its share',
    leases: [held('a'), free()],
    members: ['a', 'b'],
    mayTake: [],
    surplus: 0,
  },
  {
    title: 'what nobody claims',
    leases: [held('a'), free(unclaimedMs + 1)],
    members: ['a', 'b'],
    mayTake: [1],
    surplus: 0,
  },
  {
    title: 'gives half to a new replica',
    leases: [held('a'), held('a')],
    members: ['a', 'b'],
    mayTake: [],
    surplus: 1,
  },
  {
    title: 'gives nothing while a shard is free',
    leases: [held('a'), held('a'), free()],
    members: ['a', 'b'],
    mayTake: [],
    surplus: 0,
  },
  {
    title: 'takes the shards of a replica that is gone',
    leases: [held('a'), expired('b')],
    members: ['a', 'b'],
    mayTake: [1],
    surplus: 0,
  },
  {
    title: 'divides them with the others',
    leases: [held('a'), held('c'), expired('b'), expired('b')],
    members: ['a', 'b', 'c'],
    mayTake: [2],
    surplus: 0,
  },
  {
    title: 'gives one to a replica without any',
    leases: [held('a'), held('a'), held('b'), held('b')],
    members: ['a', 'b', 'c'],
    mayTake: [],
    surplus: 1,
  },
  {
    title: 'leaves a free shard to a replica that has none',
    leases: [held('b'), held('b'), free(), free()],
    members: ['a', 'b', 'c'],
    mayTake: [2],
    surplus: 0,
  },
  {
    title: 'keeps one more than others, where the number is odd',
    leases: [held('a'), held('a'), held('b')],
    members: ['a', 'b'],
    mayTake: [],
    surplus: 0,
  },
  {
    title: 'counts a holder that is not a member yet',
    leases: [held('a'), held('x'), free(), free()],
    members: ['a'],
    mayTake: [2],
    surplus: 0,
  },
  {
    title: 'nothing with more replicas than shards',
    leases: [held('b')],
    members: ['a', 'b'],
    mayTake: [],
    surplus: 0,
  },
];

describe('replica a', () => {
  it.each(cases)('$title', ({ leases, members, mayTake, surplus }) => {
    const division = divide({ identity: 'a', leases, members: new Set(members) });
    expect([...division.mayTake].toSorted()).toEqual(mayTake);
    expect(division.surplus).toBe(surplus);
  });
});

/** Replicas decide one after another, from what all see, and each step is carried out. */
function settle(
  shards: number,
  members: readonly string[],
  start: readonly (string | undefined)[],
) {
  const holders = [...start];
  const all = new Set(members);
  for (let round = 0; round < 4 * shards; round += 1) {
    for (const identity of members) {
      const leases = holders.map((holder) => (holder === undefined ? free() : held(holder)));
      const { mayTake, surplus } = divide({ identity, leases, members: all });
      for (const shard of mayTake) holders[shard] = identity;
      for (let given = 0; given < surplus; given += 1)
        holders[holders.lastIndexOf(identity)] = undefined;
    }
  }
  return members.map((member) => holders.filter((holder) => holder === member).length);
}

it('replicas that come and go end with equal numbers of shards, and no shard stays free', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 32 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 32, maxLength: 32 }),
      (shards, replicas, seeds) => {
        const members = names.slice(0, replicas);
        const start = Array.from({ length: shards }, (_, shard) => members[seeds[shard] ?? 0]);
        const counts = settle(shards, members, start);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(shards);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      },
    ),
  );
});
