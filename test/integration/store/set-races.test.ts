// Sets whose request crashes after any of its writes, or while somebody else writes the set or one of its members: the store on a real
// API server, through clients that let a test act before a write, or that end after a number of them.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import type { FairleadError } from '../../../src/domain/errors.ts';
import {
  defaultProjectId,
  keyOf,
  objectNameOf,
  organizationOf,
  slashed,
} from '../../../src/domain/identity.ts';
import type { PrunePolicy } from '../../../src/domain/sets/prune.ts';
import type { KubeClient } from '../../../src/kube/api.ts';
import { KubeError } from '../../../src/kube/errors.ts';
import { configMapKind, kinds, namespaceKind } from '../../../src/store/kinds.ts';
import type { BatchMember } from '../../../src/store/resources/batch/member.ts';
import { createResourceStore } from '../../../src/store/resources/store.ts';
import type { CommittedSet } from '../../../src/store/sets/commit.ts';
import { type HoldTiming, holdTiming } from '../../../src/store/sets/hold.ts';
import type { SetPlan } from '../../../src/store/sets/plan.ts';
import { createSetStore, type SetStore } from '../../../src/store/sets/store.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { applyDeps } from '../../support/fixtures/apply-deps.ts';
import { eventually } from '../../support/runner/eventually.ts';

const organization = organizationOf('https://issuer.test', `set-races-${randomUUID()}`);
const { namespace } = organization;
const projectId = defaultProjectId(organization);
const client = clientWithCrds();

beforeAll(async () => {
  const metadata = { name: namespace };
  await client.create(namespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata });
});
afterAll(() => client.close());

/** Of one process. */
function storeOver(given: KubeClient, timing: HoldTiming = holdTiming): SetStore {
  return createSetStore({ ...applyDeps(given), resources: { items: () => [] }, timing });
}
const plain = storeOver(client);
const single = createResourceStore(applyDeps(client));
/** A newcomer does not wait long for a holder that has crashed. */
const impatient: HoldTiming = { renewMs: 5_000, stopMs: 15_000, deadMs: 50 };

const tupleOf = (name: string) => ({ provider: 'box', resource: 'crate', name });
const member = (name: string, a: number): BatchMember => ({
  wanted: {
    ...{ tuple: tupleOf(name), config: { a }, lifecycle: 'draft', projectId },
    ...{ tags: undefined, dependencies: undefined },
  },
  validateConfig: () => Promise.resolve(1),
});

interface Asked {
  readonly prune?: PrunePolicy;
  readonly takes?: readonly string[];
  readonly isApproved?: boolean;
  readonly isDeletion?: boolean;
}

function planned(
  store: SetStore,
  name: string,
  members: readonly BatchMember[],
  { prune, takes = [], isApproved = true, isDeletion = false }: Asked = {},
): Promise<SetPlan> {
  return store.plan(organization, {
    ...{ id: { projectId, name }, members, prune, isDeletion },
    takes: new Set(takes.map((each) => slashed(tupleOf(each)))),
    ...{ by: undefined, traceparent: undefined, replaces: false },
    ...{ hasPlan: isApproved, isPreview: isApproved },
  });
}

const committed = (store: SetStore, plan: SetPlan, isApproved = false): Promise<CommittedSet> =>
  store.commit(organization, plan, { digest: 'd', isApproved });

async function put(
  store: SetStore,
  name: string,
  members: readonly BatchMember[],
  asked: Asked = {},
): Promise<CommittedSet> {
  return await committed(store, await planned(store, name, members, asked));
}

const shown = ({ members }: CommittedSet) =>
  members.map(({ planned: { member: of, change }, ...each }) => {
    const error = each.outcome === 'refused' ? ` ${each.error.code}` : '';
    return `${of.wanted.tuple.name} ${change} ${each.outcome}${error}`;
  });

const refTo = (name: string) => ({ namespace, name: objectNameOf(keyOf(tupleOf(name))) });
const stored = (name: string) => client.get<Resource>(kinds.resource, refTo(name));
async function membersOf(set: string): Promise<readonly string[]> {
  const { items } = await client.list<Resource>(kinds.resource, { namespace });
  return items
    .filter(({ metadata, spec }) => spec.set === set && metadata.deletionTimestamp === undefined)
    .map(({ spec }) => `${spec.name} ${(spec.config as { a?: number }).a}`)
    .sort();
}
const summaryOf = async (name: string) =>
  (await plain.get(organization, { projectId, name })).summary;

/** A client that runs `around` for each write. */
function writing(
  around: (write: () => Promise<unknown>, of: string) => Promise<unknown>,
): KubeClient {
  const verbs = ['create', 'replace', 'patch', 'delete'] as const;
  const through = verbs.map((verb) => {
    const write = client[verb] as (...given: readonly unknown[]) => Promise<unknown>;
    const named = (...given: readonly unknown[]) =>
      around(
        () => write(...given),
        `${verb} ${given[0] === configMapKind ? 'summary' : 'resource'}`,
      );
    return [verb, named] as const;
  });
  return { ...client, ...Object.fromEntries(through) } as KubeClient;
}

class Crash extends Error {}

/** A process that ends after a number of writes: nothing of it reaches the API server any more. */
function endingAfter(writes: number) {
  let count = 0;
  const given = writing(async (write) => {
    if (count >= writes) throw new Crash();
    count += 1;
    return await write();
  });
  return { client: given, writes: () => count };
}

describe('a crash after any write', () => {
  const first = (set: string) => ['a', 'b', 'c', 'd'].map((each) => member(`${set}-${each}`, 1));
  /** Changes one, leaves one, creates one, and deletes two. */
  const next = (set: string) => [
    member(`${set}-a`, 2),
    member(`${set}-b`, 1),
    member(`${set}-e`, 1),
  ];
  /** Two of the summary, two of members, two deletions. */
  const allWrites = 6;

  it('costs two writes of the summary and one of each member that changes', async () => {
    await put(plain, 'all', first('all'), { prune: 'delete' });
    const process = endingAfter(100);
    await put(storeOver(process.client), 'all', next('all'));
    expect(process.writes()).toBe(allWrites);
    const again = endingAfter(100);
    const { isRecorded } = await put(storeOver(again.client), 'all', next('all'));
    expect([isRecorded, again.writes()]).toEqual([true, 0]);
  });

  it.each(Array.from({ length: allWrites + 1 }, (_each, writes) => writes))(
    'after %s of them: it is visible, and the same request finishes',
    async (writes) => {
      const set = `crash${writes}`;
      await put(plain, set, first(set), { prune: 'delete' });
      const ending = put(storeOver(endingAfter(writes).client), set, next(set));
      if (writes < allWrites) await expect(ending).rejects.toThrow();
      else await ending;
      expect(await summaryOf(set)).toMatchObject({
        isComplete: writes === 0 || writes === allWrites,
      });
      const other = storeOver(client, impatient);
      const finished = await eventually(() => put(other, set, next(set)));
      expect(finished.isRecorded).toBe(true);
      expect(await membersOf(set)).toEqual([`${set}-a 2`, `${set}-b 1`, `${set}-e 1`]);
      expect(await summaryOf(set)).toMatchObject({ isComplete: true, holder: undefined });
    },
  );
});

describe('two requests for one set', () => {
  it('the later one is refused before it writes anything', async () => {
    let second: unknown;
    let hasTried = false;
    const first = storeOver(
      writing(async (write, of) => {
        const tries = of === 'create resource' && !hasTried;
        if (tries) {
          hasTried = true;
          const process = endingAfter(100);
          const other = storeOver(process.client);
          second = await put(other, 'two', [member('two-x', 2)]).catch((thrown) => thrown);
          expect(process.writes()).toBe(0);
        }
        return await write();
      }),
    );
    expect(shown(await put(first, 'two', [member('two-a', 1)]))).toEqual(['two-a create applied']);
    expect(second).toMatchObject({ code: 'set_busy' });
    expect(await membersOf('two')).toEqual(['two-a 1']);
  });

  it.each([1, 2, 3])('at the same time: one of them is done (%s)', async (round) => {
    const set = `same${round}`;
    const results = await Promise.allSettled(
      [1, 2].map((a) =>
        put(storeOver(client), set, [member(`${set}-a`, a), member(`${set}-${a}`, a)]),
      ),
    );
    const codes = results.map((each) =>
      each.status === 'fulfilled' ? 'done' : (each.reason as FairleadError).code,
    );
    expect(codes.filter((each) => each === 'done').length).toBeGreaterThan(0);
    expect(codes.every((each) => each === 'done' || each === 'set_busy')).toBe(true);
    expect(await summaryOf(set)).toMatchObject({ isComplete: true });
  });

  it('a holder that cannot renew stops, and the next one takes its place', async () => {
    const timing: HoldTiming = { renewMs: 20, stopMs: 60, deadMs: 120 };
    const cutOff = writing(async (write, of) => {
      if (of === 'replace summary') {
        throw new KubeError({ reason: 'unavailable', message: 'cut off' });
      }
      const written = await write();
      // Its writes are slow: the others begin after the time in which it must have renewed.
      if (of === 'create resource') await new Promise((resolve) => setTimeout(resolve, 100));
      return written;
    });
    const names = Array.from({ length: 20 }, (_each, index) => `slow-${index}`);
    const members = names.map((name) => member(name, 1));
    const first = await put(storeOver(cutOff, timing), 'slow', members);
    expect(first.isRecorded).toBe(false);
    const outcomes = first.members.map(({ outcome }) => outcome);
    expect(outcomes.filter((each) => each === 'not_attempted')).toHaveLength(4);
    const other = storeOver(client, timing);
    const finished = await eventually(() => put(other, 'slow', members));
    expect(finished.isRecorded).toBe(true);
    expect(await membersOf('slow')).toHaveLength(20);
  });
});

describe('somebody else writes a member', () => {
  const apply = (name: string, a: number) => {
    const { wanted, validateConfig } = member(name, a);
    return single.apply(organization, wanted, { scope: undefined, validateConfig });
  };
  const remove = (name: string) => {
    const tuple = tupleOf(name);
    const address = { key: keyOf(tuple), tuple, text: slashed(tuple) };
    return single.requestDeletion(organization, address, { scope: undefined });
  };
  const take = (set: string, name: string) => put(plain, set, [member(name, 1)], { takes: [name] });

  it('an apply: its content is overwritten, and it stays a member', async () => {
    await put(plain, 'm1', [member('m1-a', 1)]);
    const plan = await planned(plain, 'm1', [member('m1-a', 2)], { isApproved: false });
    await apply('m1-a', 5);
    expect(shown(await committed(plain, plan))).toEqual(['m1-a update applied']);
    await apply('m1-a', 7);
    expect(await membersOf('m1')).toEqual(['m1-a 7']);
    expect(shown(await put(plain, 'm1', [member('m1-a', 2)]))).toEqual(['m1-a update applied']);
  });

  it('a deletion: it is refused, the others are written, and the set is not complete', async () => {
    await put(plain, 'm2', [member('m2-a', 1), member('m2-b', 1)]);
    const plan = await planned(plain, 'm2', [member('m2-a', 2), member('m2-b', 2)]);
    await remove('m2-a');
    const result = await committed(plain, plan);
    expect(shown(result)).toEqual(['m2-a update refused resource_deleting', 'm2-b update applied']);
    expect(result.isRecorded).toBe(false);
    expect(await summaryOf('m2')).toMatchObject({ isComplete: false, holder: undefined });
  });

  it('another set takes one that would not change: it is not reported as a member', async () => {
    await put(plain, 'm3', [member('m3-a', 1), member('m3-b', 1)]);
    const plan = await planned(plain, 'm3', [member('m3-a', 1), member('m3-b', 2)]);
    expect(shown(await take('m3-other', 'm3-a'))).toEqual(['m3-a take applied']);
    const result = await committed(plain, plan);
    expect(shown(result)).toEqual(['m3-a none refused conflict', 'm3-b update applied']);
    expect(result.isRecorded).toBe(false);
    expect(await membersOf('m3-other')).toEqual(['m3-a 1']);
  });

  it('another set takes one that would change: it is not taken back', async () => {
    await put(plain, 'm4', [member('m4-a', 1)]);
    const plan = await planned(plain, 'm4', [member('m4-a', 2)], { isApproved: false });
    await take('m4-other', 'm4-a');
    expect(shown(await committed(plain, plan))).toEqual(['m4-a update refused owned_by_set']);
    expect(await membersOf('m4-other')).toEqual(['m4-a 1']);
  });

  it.each(['delete', 'orphan', 'leave'] as const)(
    'another set takes one that would be pruned (%s): it stays',
    async (prune) => {
      const set = `m5-${prune}`;
      await put(plain, set, [member(`${set}-a`, 1), member(`${set}-b`, 1)], { prune });
      const plan = await planned(plain, set, [member(`${set}-a`, 1)]);
      await take(`${set}-other`, `${set}-b`);
      const result = await committed(plain, plan);
      expect(shown(result)[1]).toMatch(/refused (conflict|owned_by_set)$/);
      expect((await stored(`${set}-b`)).metadata).not.toHaveProperty('deletionTimestamp');
      expect(await membersOf(`${set}-other`)).toEqual([`${set}-b 1`]);
    },
  );

  it('nothing is pruned while an apply is refused', async () => {
    await put(plain, 'm6', [member('m6-a', 1), member('m6-b', 1)], { prune: 'delete' });
    const plan = await planned(plain, 'm6', [member('m6-a', 2)]);
    await remove('m6-a');
    expect(shown(await committed(plain, plan))).toEqual([
      'm6-a update refused resource_deleting',
      'm6-b delete not_attempted',
    ]);
    expect(await membersOf('m6')).toEqual(['m6-b 1']);
  });
});

it('has after each success the members of the request and the unlisted ones', async () => {
  const names = ['r0', 'r1', 'r2', 'r3', 'r4'];
  let state = 7;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  for (let step = 0; step < 40; step += 1) {
    const set = `random${random(2)}`;
    const body = names.filter(() => random(2) === 0);
    const prune = (['keep', 'leave', undefined] as const)[random(3)];
    const members = body.map((name) => member(name, random(3)));
    const asked = { takes: body, ...(prune === undefined ? {} : { prune }) };
    const { unlisted, isRecorded } = await put(plain, set, members, asked);
    expect(isRecorded, `step ${step}`).toBe(true);
    const expected = [...new Set([...body.map((name) => slashed(tupleOf(name))), ...unlisted])];
    const actual = (await membersOf(set)).map((each) => slashed(tupleOf(each.split(' ')[0] ?? '')));
    expect(actual, `step ${step}`).toEqual(expected.sort());
  }
});

it('deletes a set with its summary, and again without a complaint', async () => {
  await put(plain, 'gone', [member('gone-a', 1), member('gone-b', 1)]);
  const asked = { prune: 'delete', isDeletion: true } as const;
  expect(shown(await put(plain, 'gone', [], asked))).toEqual([
    'gone-a delete applied',
    'gone-b delete applied',
  ]);
  expect(await membersOf('gone')).toEqual([]);
  await expect(summaryOf('gone')).rejects.toMatchObject({ code: 'set_not_found' });
  expect((await put(plain, 'gone', [], asked)).isRecorded).toBe(true);
});
