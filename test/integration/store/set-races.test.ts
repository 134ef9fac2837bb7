// Somebody else writes a set, or one of its members, while a request for the set runs: the store on a real API server. Others act before
// a chosen write, or between the plan and the writes, so that each order is forced. Crashes: test/faults/kube/set-crashes.test.ts.
import { describe, expect, it } from 'vitest';
import { FairleadError } from '../../../src/domain/errors.ts';
import { slashed } from '../../../src/domain/identity.ts';
import { type PrunePolicy, prunePolicies } from '../../../src/domain/sets/prune.ts';
import type { SetStore } from '../../../src/store/sets/store.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import {
  crateNamed,
  type SetAsked,
  setsOfAnOrganization,
  shownOutcomes as shown,
  writing,
} from '../../support/fixtures/sets.ts';
import { randomOf, seedFrom } from '../../support/runner/random.ts';

const client = clientWithCrds();
const sets = setsOfAnOrganization(client);
const { member, put, planned, committed, plain, storeOver, membersOf, summaryOf, stored } = sets;

/** @returns a store before whose first write of a kind somebody else acts, such as `create resource` */
function interrupted(before: string, act: () => Promise<unknown>): SetStore {
  let hasActed = false;
  const interrupting = writing(client, async (write, of) => {
    if (of === before && !hasActed) {
      hasActed = true;
      await act();
    }
    return await write();
  });
  return storeOver(interrupting);
}

const take = (set: string, name: string) => put(plain, set, [member(name, 1)], { takes: [name] });
const unapproved = { isApproved: false } as const;

describe('a single request for a member', () => {
  it('an apply: its content is overwritten, and it stays a member', async () => {
    await put(plain, 'm1', [member('m1-a', 1)]);
    const plan = await planned(plain, 'm1', [member('m1-a', 2)], unapproved);
    await sets.apply('m1-a', 5);
    expect(shown(await committed(plain, plan))).toEqual(['m1-a update applied']);
    await sets.apply('m1-a', 7);
    expect(await membersOf('m1')).toEqual(['m1-a 7']);
    expect(shown(await put(plain, 'm1', [member('m1-a', 2)]))).toEqual(['m1-a update applied']);
  });

  it('an apply that creates it first: it joins', async () => {
    const store = interrupted('create resource', () => sets.apply('m2-a', 5));
    const { isRecorded } = await put(store, 'm2', [member('m2-a', 1)], unapproved);
    expect(isRecorded).toBe(true);
    expect(await membersOf('m2')).toEqual(['m2-a 1']);
  });

  it('an apply of one that an approved plan changes: it is stale', async () => {
    await put(plain, 'm3', [member('m3-a', 1), member('m3-b', 1)]);
    const plan = await planned(plain, 'm3', [member('m3-a', 2), member('m3-b', 2)]);
    await sets.apply('m3-a', 5);
    const result = await committed(plain, plan, true);
    expect(shown(result)).toEqual(['m3-a update refused plan_stale', 'm3-b update applied']);
    expect(await membersOf('m3')).toEqual(['m3-a 5', 'm3-b 2']);
  });

  it('a deletion: it is refused, the others are written, and the set is not complete', async () => {
    await put(plain, 'm4', [member('m4-a', 1), member('m4-b', 1)]);
    const plan = await planned(plain, 'm4', [member('m4-a', 2), member('m4-b', 2)]);
    await sets.remove('m4-a');
    const result = await committed(plain, plan);
    expect(shown(result)).toEqual(['m4-a update refused resource_deleting', 'm4-b update applied']);
    expect(result.isRecorded).toBe(false);
    expect(await summaryOf('m4')).toMatchObject({ isComplete: false, holder: undefined });
  });

  const deleted = async (name: string) => {
    await sets.remove(name);
    await sets.finishDeletions();
  };

  it('a deletion that has ended: it is created again, unless another plan was approved', async () => {
    for (const isApproved of [false, true]) {
      const set = `m5-${isApproved}`;
      const body = (size: number) => [member(`${set}-a`, size), member(`${set}-b`, size)];
      await put(plain, set, body(1));
      const plan = await planned(plain, set, body(2), { isApproved });
      await deleted(`${set}-a`);
      const result = await committed(plain, plan, isApproved);
      expect(shown(result)[0]).toBe(
        `${set}-a update ${isApproved ? 'refused plan_stale' : 'applied'}`,
      );
      expect(result.isRecorded).toBe(!isApproved);
      expect((await put(plain, set, body(2))).isRecorded).toBe(true);
      expect(await membersOf(set)).toEqual([`${set}-a 2`, `${set}-b 2`]);
    }
  });

  it('a deletion of one that would not change: it is not reported as a member', async () => {
    const body = (size: number) => [member('m6-a', 1), member('m6-b', size)];
    await put(plain, 'm6', body(1));
    const store = interrupted('replace resource', () => sets.remove('m6-a'));
    const result = await put(store, 'm6', body(2), unapproved);
    expect(shown(result)).toEqual(['m6-a none refused conflict', 'm6-b update applied']);
    expect(await summaryOf('m6')).toMatchObject({ isComplete: false });
  });

  it.each(['delete', 'orphan', 'leave'] as const)(
    'a deletion of one that is pruned (%s): nothing brings it back',
    async (prune) => {
      const set = `m7-${prune}`;
      const body = [member(`${set}-a`, 1)];
      await put(plain, set, [...body, member(`${set}-b`, 1)], { prune });
      const plan = await planned(plain, set, body, unapproved);
      await deleted(`${set}-b`);
      await committed(plain, plan);
      expect((await put(plain, set, body)).isRecorded).toBe(true);
      expect(await membersOf(set)).toEqual([`${set}-a 1`]);
      await expect(stored(`${set}-b`)).rejects.toMatchObject({ reason: 'notFound' });
    },
  );

  it('nothing is pruned while an apply is refused', async () => {
    await put(plain, 'm8', [member('m8-a', 1), member('m8-b', 1)], { prune: 'delete' });
    const plan = await planned(plain, 'm8', [member('m8-a', 2)]);
    await sets.remove('m8-a');
    expect(shown(await committed(plain, plan))).toEqual([
      'm8-a update refused resource_deleting',
      'm8-b delete not_attempted',
    ]);
    expect(await membersOf('m8')).toEqual(['m8-b 1']);
  });
});

describe('a PATCH takes a member out of the set', () => {
  const two = (set: string, size: number) => [member(`${set}-a`, size), member(`${set}-b`, size)];

  it('before it is written: it joins again', async () => {
    await put(plain, 'p1', two('p1', 1));
    const plan = await planned(plain, 'p1', two('p1', 2), unapproved);
    await sets.leave('p1-a');
    expect((await committed(plain, plan)).isRecorded).toBe(true);
    expect(await membersOf('p1')).toEqual(['p1-a 2', 'p1-b 2']);
  });

  it.each([
    ['that would not change', 'a'],
    ['that has been written', 'b'],
  ])('%s: it is not reported as one', async (_title, left) => {
    const set = `p2${left}`;
    const body = [member(`${set}-a`, 1), member(`${set}-b`, 2)];
    await put(plain, set, [...two(set, 1), member(`${set}-c`, 1)], { prune: 'delete' });
    const store = interrupted('delete resource', () => sets.leave(`${set}-${left}`));
    const result = await put(store, set, body, unapproved);
    const outcomes = { a: `${set}-a none unchanged`, b: `${set}-b update applied` };
    const refused = {
      [left]: `${set}-${left} ${left === 'a' ? 'none' : 'update'} refused conflict`,
    };
    expect(shown(result).slice(0, 2)).toEqual(Object.values({ ...outcomes, ...refused }));
    expect(await summaryOf(set)).toMatchObject({ isComplete: false, holder: undefined });
    expect((await put(plain, set, body)).isRecorded).toBe(true);
    expect(await membersOf(set)).toEqual([`${set}-a 1`, `${set}-b 2`]);
  });

  it('that is kept: it is not unlisted any more', async () => {
    await put(plain, 'p3', two('p3', 1));
    const plan = await planned(plain, 'p3', [member('p3-a', 2)], unapproved);
    await sets.leave('p3-b');
    expect(await committed(plain, plan)).toMatchObject({ isRecorded: true, unlisted: [] });
  });

  it.each(['delete', 'orphan', 'leave'] as const)(
    'that is pruned (%s): it goes on without a set',
    async (prune) => {
      const set = `p4-${prune}`;
      await put(plain, set, two(set, 1), { prune });
      const plan = await planned(plain, set, [member(`${set}-a`, 1)], unapproved);
      await sets.leave(`${set}-b`);
      const result = await committed(plain, plan);
      expect(shown(result)[1]).toBe(
        `${set}-b ${prune} ${prune === 'leave' ? 'unchanged' : 'refused conflict'}`,
      );
      const { metadata, spec } = await stored(`${set}-b`);
      expect([metadata.deletionTimestamp, spec.set]).toEqual([undefined, undefined]);
      expect((await put(plain, set, [member(`${set}-a`, 1)])).isRecorded).toBe(true);
    },
  );
});

describe('another set takes a member', () => {
  it('that would not change: it is not reported as one', async () => {
    await put(plain, 't1', [member('t1-a', 1), member('t1-b', 1)]);
    const plan = await planned(plain, 't1', [member('t1-a', 1), member('t1-b', 2)]);
    expect(shown(await take('t1-other', 't1-a'))).toEqual(['t1-a take applied']);
    const result = await committed(plain, plan);
    expect(shown(result)).toEqual(['t1-a none refused conflict', 't1-b update applied']);
    expect(result.isRecorded).toBe(false);
    expect(await membersOf('t1-other')).toEqual(['t1-a 1']);
  });

  it('that would change: it is not taken back', async () => {
    await put(plain, 't2', [member('t2-a', 1)]);
    const plan = await planned(plain, 't2', [member('t2-a', 2)], unapproved);
    await take('t2-other', 't2-a');
    expect(shown(await committed(plain, plan))).toEqual(['t2-a update refused owned_by_set']);
    expect(await membersOf('t2-other')).toEqual(['t2-a 1']);
  });

  it.each(['delete', 'orphan', 'leave'] as const)(
    'that would be pruned (%s): it stays there',
    async (prune) => {
      const set = `t3-${prune}`;
      await put(plain, set, [member(`${set}-a`, 1), member(`${set}-b`, 1)], { prune });
      const plan = await planned(plain, set, [member(`${set}-a`, 1)]);
      await take(`${set}-other`, `${set}-b`);
      const result = await committed(plain, plan);
      expect(shown(result)[1]).toMatch(/refused (conflict|owned_by_set)$/);
      expect((await stored(`${set}-b`)).metadata).not.toHaveProperty('deletionTimestamp');
      expect(await membersOf(`${set}-other`)).toEqual([`${set}-b 1`]);
    },
  );
});

describe('two sets claim one resource', () => {
  const other = (name: string) => put(plain, `${name}-other`, [member(name, 7)]);

  it('that is new: the first to create it has it', async () => {
    const store = interrupted('create resource', () => other('c1'));
    const result = await put(store, 'c1', [member('c1', 1), member('c1-b', 1)], unapproved);
    expect(shown(result)).toEqual(['c1 create refused owned_by_set', 'c1-b create applied']);
    expect(await summaryOf('c1')).toMatchObject({ isComplete: false, holder: undefined });
    expect([await membersOf('c1'), await membersOf('c1-other')]).toEqual([['c1-b 1'], ['c1 7']]);
  });

  it('that has none: the first that it joins has it', async () => {
    await sets.apply('c2', 1);
    const store = interrupted('replace resource', () => other('c2'));
    const result = await put(store, 'c2', [member('c2', 1)], unapproved);
    expect(shown(result)).toEqual(['c2 join refused owned_by_set']);
    expect([await membersOf('c2'), await membersOf('c2-other')]).toEqual([[], ['c2 7']]);
  });

  it('and the later one takes it: it is a member of that one alone', async () => {
    const store = interrupted('create resource', () => other('c3'));
    const asked = { ...unapproved, takes: ['c3'] };
    expect((await put(store, 'c3', [member('c3', 1)], asked)).isRecorded).toBe(true);
    expect([await membersOf('c3'), await membersOf('c3-other')]).toEqual([['c3 1'], []]);
  });
});

const seed = seedFrom('SETS_SEED');

/** Requests for two sets, and others that act in the midst of them. */
function randomWalk(random: () => number) {
  const names = Array.from({ length: 8 }, (_each, index) => `walk${index}`);
  const below = (count: number) => Math.floor(random() * count);
  const oneOf = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  const some = () => names.filter(() => random() < 0.4);
  const bodyOf = (body: readonly string[]) => body.map((name) => member(name, below(3)));
  const asked = (body: readonly string[]): SetAsked => ({
    ...{ isApproved: false, takes: body.filter(() => random() < 0.6) },
    prune: oneOf<PrunePolicy | undefined>([...prunePolicies, undefined, undefined]),
  });
  const acts: readonly (() => Promise<unknown>)[] = [
    () => sets.apply(oneOf(names), below(3)),
    () => sets.remove(oneOf(names)),
    () => sets.finishDeletions(),
    () => sets.leave(oneOf(names)),
    () => request(plain),
  ];
  /** What is refused changes nothing. */
  const act = async () => {
    if (random() < 0.4) await oneOf(acts)().catch(orRethrow);
  };
  async function request(store: SetStore) {
    const set = oneOf(['walk-one', 'walk-two']);
    const body = some();
    const plan = await planned(store, set, bodyOf(body), asked(body));
    return { set, body, result: await committed(store, plan) };
  }
  /** Nobody acts between the last look at the members and the answer: what is true then is over when the answer arrives. */
  const disturbed = storeOver(
    writing(client, async (write, of) => {
      if (of.endsWith(' resource')) await act();
      return await write();
    }),
  );
  return { act, request: () => request(disturbed).catch(orRethrow) };
}

function orRethrow(thrown: unknown): undefined {
  if (!(thrown instanceof FairleadError)) throw thrown;
}

it(`has after each success the members of the request and the unlisted ones (seed ${seed})`, async () => {
  const walk = randomWalk(randomOf(seed));
  let successes = 0;
  for (let step = 0; step < 60; step += 1) {
    await walk.act();
    const done = await walk.request();
    if (done?.result.isRecorded !== true) continue;
    successes += 1;
    const { set, body, result } = done;
    const wanted = new Set([...body.map((name) => slashed(crateNamed(name))), ...result.unlisted]);
    const actual = (await membersOf(set)).map((each) =>
      slashed(crateNamed(each.split(' ')[0] ?? '')),
    );
    expect(actual, `step ${step}`).toEqual([...wanted].sort());
  }
  expect(successes).toBeGreaterThan(10);
});

it('deletes a set with its summary, and again without a complaint', async () => {
  const asked = { prune: 'delete', isDeletion: true } as const;
  await put(plain, 'gone', [member('gone-a', 1), member('gone-b', 1)]);
  expect(shown(await put(plain, 'gone', [], asked))).toEqual([
    'gone-a delete applied',
    'gone-b delete applied',
  ]);
  expect(await membersOf('gone')).toEqual([]);
  await expect(summaryOf('gone')).rejects.toMatchObject({ code: 'set_not_found' });
  expect((await put(plain, 'gone', [], asked)).isRecorded).toBe(true);
});
