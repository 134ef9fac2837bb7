// A request for a set dies after each of its writes, or loses an answer, on a real API server. What is half done is visible, and the same
// request again finishes: with one write of each member that is left, and of no other. test/faults/sets.test.ts kills whole processes.
import { describe, expect, it } from 'vitest';
import type { PrunePolicy } from '../../../src/domain/sets/prune.ts';
import type { KubeClient } from '../../../src/kube/api.ts';
import { KubeError } from '../../../src/kube/errors.ts';
import type { BatchMember } from '../../../src/store/resources/batch/member.ts';
import type { CommittedSet } from '../../../src/store/sets/commit.ts';
import type { HoldTiming } from '../../../src/store/sets/hold.ts';
import type { SetStore } from '../../../src/store/sets/store.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { Dead, dyingClient } from '../../support/faults/dying-client.ts';
import {
  countingWrites,
  crateNamed,
  impatient,
  type SetAsked,
  type SetsOfAnOrganization,
  setsOfAnOrganization,
  writing,
} from '../../support/fixtures/sets.ts';
import { eventually } from '../../support/runner/eventually.ts';

const real = clientWithCrds();

interface Scenario {
  /** Beside the set, and what it has. */
  readonly prepare: (set: string) => Promise<unknown>;
  readonly body: (set: string) => readonly BatchMember[];
  readonly asked?: (set: string) => SetAsked;
  /** Of an undisturbed request, members in any order. */
  readonly writes: readonly string[];
  /** The members in the end: the ends of their names, and their sizes. */
  readonly end: readonly string[];
}

type ScenarioOf = (sets: SetsOfAnOrganization) => Scenario;

const crates = ({ member }: SetsOfAnOrganization, set: string, ends: string, size = 1) =>
  [...ends].map((end) => member(`${set}-${end}`, size));
const having =
  (sets: SetsOfAnOrganization, ends: string, prune: PrunePolicy): Scenario['prepare'] =>
  (set) =>
    sets.put(sets.plain, set, crates(sets, set, ends), { prune });
const deletionOf = (prune: PrunePolicy) => () => ({ prune, isDeletion: true });
const begins = 'create ConfigMap';
const renews = 'replace ConfigMap';
const ends = 'delete ConfigMap';
const times = (count: number, ...writes: readonly string[]) =>
  Array.from({ length: count }, () => writes).flat();

const aNewSet: ScenarioOf = (sets) => ({
  prepare: () => Promise.resolve(),
  body: (set) => crates(sets, set, 'abc'),
  writes: [begins, ...times(3, 'create Resource'), renews],
  end: ['a 1', 'b 1', 'c 1'],
});

const scenarios: Readonly<Record<string, ScenarioOf>> = {
  'a new set': aNewSet,
  'a set of which members change, stay, are new, and are deleted, users first': (sets) => ({
    prepare: (set) => {
      const dependencies = [crateNamed(`${set}-d`)];
      const user = sets.member(`${set}-e`, 1, { dependencies });
      return sets.put(sets.plain, set, [...crates(sets, set, 'abcd'), user], { prune: 'delete' });
    },
    body: (set) => [...crates(sets, set, 'a', 2), ...crates(sets, set, 'bf')],
    writes: [
      ...[renews, 'replace Resource', 'create Resource'],
      ...times(3, 'delete Resource'),
      renews,
    ],
    end: ['a 2', 'b 1', 'f 1'],
  }),
  'a set that keeps what is not named': (sets) => ({
    prepare: having(sets, 'abc', 'keep'),
    body: (set) => crates(sets, set, 'ab', 2),
    writes: [renews, ...times(2, 'replace Resource'), renews],
    end: ['a 2', 'b 2', 'c 1'],
  }),
  'a set that members leave': (sets) => ({
    prepare: having(sets, 'abc', 'leave'),
    body: (set) => crates(sets, set, 'a'),
    writes: [renews, ...times(2, 'replace Resource'), renews],
    end: ['a 1'],
  }),
  'a set whose members are orphaned': (sets) => ({
    prepare: having(sets, 'abc', 'orphan'),
    body: (set) => crates(sets, set, 'a'),
    writes: [renews, ...times(2, 'patch Resource', 'delete Resource'), renews],
    end: ['a 1'],
  }),
  'a set that resources join, also from another set': (sets) => ({
    prepare: async (set) => {
      await sets.apply(`${set}-a`, 1);
      await sets.put(sets.plain, `${set}-other`, crates(sets, set, 'bc'));
    },
    body: (set) => crates(sets, set, 'ab'),
    asked: (set) => ({ takes: [`${set}-b`] }),
    writes: [begins, ...times(2, 'replace Resource'), renews],
    end: ['a 1', 'b 1'],
  }),
  'a deletion with the members': (sets) => ({
    prepare: having(sets, 'abc', 'keep'),
    body: () => [],
    asked: deletionOf('delete'),
    writes: [renews, ...times(3, 'delete Resource'), ends],
    end: [],
  }),
  'a deletion that orphans': (sets) => ({
    prepare: having(sets, 'ab', 'keep'),
    body: () => [],
    asked: deletionOf('orphan'),
    writes: [renews, ...times(2, 'patch Resource', 'delete Resource'), ends],
    end: [],
  }),
  'a deletion of the set alone': (sets) => ({
    prepare: having(sets, 'ab', 'keep'),
    body: () => [],
    asked: deletionOf('leave'),
    writes: [renews, ...times(2, 'replace Resource'), ends],
    end: [],
  }),
};

/** The requests of a scenario, in one organization: its lists stay short. */
function requestsOf(scenarioOf: ScenarioOf) {
  const sets = setsOfAnOrganization(real);
  const scenario = scenarioOf(sets);
  const { body, asked = () => ({}), end } = scenario;
  const isDeletion = scenario.asked?.('').isDeletion === true;
  const send = (store: SetStore, set: string): Promise<CommittedSet> =>
    sets.put(store, set, body(set), { ...asked(set), isApproved: false, by: 'ada' });
  const request = (client: KubeClient, set: string, timing?: HoldTiming) =>
    send(sets.storeOver(client, timing), set);

  return {
    ...{ ...sets, scenario, isDeletion, request },
    /** Sends the request until no dead one holds the set. @returns the writes of all that */
    async finished(set: string): Promise<readonly string[]> {
      const { client, sent } = countingWrites(real);
      const store = sets.storeOver(client, impatient);
      const { isRecorded } = await eventually(() => send(store, set));
      expect(isRecorded).toBe(true);
      return sent;
    },
    async expectEnd(set: string): Promise<void> {
      expect(await sets.membersOf(set)).toEqual(end.map((each) => `${set}-${each}`));
      if (isDeletion) {
        await expect(sets.summaryOf(set)).rejects.toMatchObject({ code: 'set_not_found' });
        return;
      }
      expect(await sets.summaryOf(set)).toMatchObject({ isComplete: true, holder: undefined });
      const { client, sent } = countingWrites(real);
      const { members, unlisted } = await request(client, set);
      expect(sent).toEqual([]);
      const named = members.map(({ planned }) => planned.member.wanted.tuple.name);
      const all = new Set([...named, ...unlisted.map((each) => each.slice('box/crate/'.length))]);
      const names = (await sets.membersOf(set)).map((each) => each.split(' ')[0]);
      expect(names).toEqual([...all].sort());
    },
  };
}

const isOfMember = (write: string) => write.endsWith('esource');

/** A process that dies at a write, of which one follows the other: what it has written is a beginning of what it writes. */
function dyingInOrder(lastWrite: number) {
  const dying = dyingClient(real, lastWrite);
  let last: Promise<unknown> = Promise.resolve();
  const client = writing(dying.client, (write) => {
    const next = last.then(write);
    last = next.catch(() => undefined);
    return next;
  });
  return { client, dying };
}

describe.each(Object.entries(scenarios))('%s', (_title, scenarioOf) => {
  const { scenario, isDeletion, request, finished, expectEnd, ...sets } = requestsOf(scenarioOf);
  const { writes: all } = scenario;
  const steps = all.map((_each, at) => at + 1);

  it('costs one write of each member that changes, and two of the summary', async () => {
    const set = 'all';
    await scenario.prepare(set);
    const { client, dying } = dyingInOrder(0);
    expect((await request(client, set)).isRecorded).toBe(true);
    const sorted = (writes: readonly string[]) => [...writes].sort();
    expect(sorted(dying.writes)).toEqual(sorted(all));
    expect([dying.writes[0], dying.writes.at(-1)]).toEqual([all[0], all.at(-1)]);
    await expectEnd(set);
  });

  it.each(steps)('dies after write %s: it is visible, and the same finishes', async (step) => {
    const set = `d${step}`;
    await scenario.prepare(set);
    const before = await sets.summaryOf(set).catch(() => undefined);
    const beganAt = new Date().toISOString();
    const { client, dying } = dyingInOrder(step);
    await expect(request(client, set)).rejects.toThrow(Dead);
    expect(dying.accepted).toHaveLength(step);
    const isLast = step === all.length;
    if (!(isLast && isDeletion)) {
      const summary = await sets.summaryOf(set);
      expect(summary).toMatchObject({ isComplete: isLast, by: 'ada', digest: 'digest' });
      expect(summary?.at.localeCompare(beganAt)).toBeGreaterThanOrEqual(0);
      expect(summary?.prune).toBe(before?.prune ?? 'keep');
    }
    const crashed = await sets.uidsOf(`${set}-`);
    const left = all.filter(isOfMember).length - dying.accepted.filter(isOfMember).length;
    const ofSummary = left > 0 || isDeletion ? 2 : 1;
    const writes = await finished(set);
    expect(writes.filter(isOfMember)).toHaveLength(left);
    expect(writes).toHaveLength(isLast ? 0 : left + ofSummary);
    await expectEnd(set);
    // Nothing is there for the second time, and nothing is lost.
    const after = await sets.uidsOf(`${set}-`);
    for (const [name, uid] of crashed) expect([name, after.get(name)]).toEqual([name, uid]);
  });

  it.each(steps)('an answer to write %s that is lost is no loss', async (step) => {
    const set = `l${step}`;
    await scenario.prepare(set);
    let sent = 0;
    const accepted: string[] = [];
    const losing = writing(real, async (write, of) => {
      sent += 1;
      const isLost = sent === step;
      const answer = await write();
      accepted.push(of);
      if (isLost) throw unanswered();
      return answer;
    });
    const { isRecorded } = await request(losing, set);
    expect(isRecorded).toBe(true);
    expect(accepted).toHaveLength(all.length);
    await expectEnd(set);
  });

  it.each(steps)('write %s that never arrives is sent again', async (step) => {
    const set = `n${step}`;
    await scenario.prepare(set);
    const sent: string[] = [];
    let lost = '';
    const losing = writing(real, async (write, of) => {
      sent.push(of);
      if (sent.length !== step) return await write();
      lost = of;
      throw unanswered();
    });
    const first = await request(losing, set);
    const later = first.isRecorded ? [] : await finished(set);
    // Marks of a deletion that may not have begun are taken back.
    const again = lost === 'delete resource' && all.includes('patch Resource') ? 3 : 1;
    const more = isOfMember(lost) ? again : 0;
    const ofMembers = [...sent, ...later].filter(isOfMember);
    expect(ofMembers).toHaveLength(all.filter(isOfMember).length + more);
    await expectEnd(set);
  });
});

function unanswered(): KubeError {
  const message = 'The API server did not answer in time';
  return new KubeError({ reason: 'timeout', message, outcome: 'unknown' });
}

describe('a new set whose hold is renewed', () => {
  const { request, finished, expectEnd, ...sets } = requestsOf(aNewSet);

  it('dies after that: the next request is refused until nobody renews it', async () => {
    const { client, dying } = dyingInOrder(3);
    const { promise: isRenewed, resolve: renewed } = Promise.withResolvers<void>();
    const holding = writing(client, async (write, of) => {
      if (of === 'create resource') await isRenewed;
      const answer = await write();
      if (of === 'replace summary' && dying.accepted.length === 2) renewed();
      return answer;
    });
    const ending = request(holding, 'renewed', { ...impatient, renewMs: 10 });
    await expect(ending).rejects.toThrow(Dead);
    expect(dying.accepted.slice(0, 2)).toEqual([begins, renews]);
    expect(await sets.summaryOf('renewed')).toMatchObject({ isComplete: false, by: 'ada' });
    const next = request(real, 'renewed', impatient);
    await expect(next).rejects.toMatchObject({ code: 'set_busy' });
    await finished('renewed');
    await expectEnd('renewed');
  });
});
