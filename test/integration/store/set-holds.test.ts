// One request at a time writes a set: the later one is refused, a holder renews its hold, and one that cannot stops. The store on a real
// API server; conditions decide about the order, and clocks only about a holder that is gone.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FairleadError } from '../../../src/domain/errors.ts';
import { KubeError } from '../../../src/kube/errors.ts';
import { holdTiming } from '../../../src/store/sets/hold.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import {
  countingWrites,
  setsOfAnOrganization,
  shownOutcomes as shown,
  writing,
} from '../../support/fixtures/sets.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { manualTime } from '../../support/runner/manual-time.ts';

const client = clientWithCrds();
const sets = setsOfAnOrganization(client);
const { member, put, storeOver, membersOf, summaryOf } = sets;

describe('two requests for one set', () => {
  it('the later one is refused before it writes anything', async () => {
    let second: unknown;
    const first = storeOver(
      writing(client, async (write, of) => {
        if (of === 'create resource') {
          const { client: other, sent } = countingWrites(client);
          second = await put(storeOver(other), 'two', [member('two-x', 2)]).catch(
            (thrown) => thrown,
          );
          expect(sent).toEqual([]);
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
      [1, 2].map((size) =>
        put(storeOver(client), set, [member(`${set}-a`, size), member(`${set}-${size}`, size)]),
      ),
    );
    const codes = results.map((each) =>
      each.status === 'fulfilled' ? 'done' : (each.reason as FairleadError).code,
    );
    expect(codes.filter((each) => each === 'done').length).toBeGreaterThan(0);
    expect(codes.every((each) => each === 'done' || each === 'set_busy')).toBe(true);
    expect(await summaryOf(set)).toMatchObject({ isComplete: true });
  });
});

it('a holder that renews its hold keeps it, however long it takes', async () => {
  const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const { client: counted, sent } = countingWrites(client);
  const slow = writing(counted, async (write, of) => {
    if (of === 'create resource') {
      held();
      await isReleased;
    }
    return await write();
  });
  const first = put(storeOver(slow, { ...holdTiming, renewMs: 10 }), 'long', [member('long-a', 1)]);
  await isHeld;
  const { clock, freeze } = manualTime();
  const newcomer = storeOver(client, holdTiming, clock);
  for (let tries = 0; tries < 4; tries += 1) {
    const second = put(newcomer, 'long', [member('long-a', 2)]);
    await expect(second).rejects.toMatchObject({ code: 'set_busy' });
    freeze(holdTiming.deadMs - 1);
    const before = sent.length;
    // The first of them may have been under way before.
    await eventually(() => expect(sent.length).toBeGreaterThan(before + 2));
  }
  release();
  expect((await first).isRecorded).toBe(true);
  expect(await membersOf('long')).toEqual(['long-a 1']);
});

/** A holder whose renewals fail, and whose creations wait until its time to write has passed. */
function cutOffHolder(
  outcome: 'refused' | 'unknown',
  create: (write: () => Promise<unknown>) => Promise<unknown>,
) {
  const { clock, freeze } = manualTime();
  const { promise: isStopped, resolve: stop } = Promise.withResolvers<void>();
  let failures = 0;
  const cutOff = writing(client, async (write, of) => {
    if (of === 'replace summary') {
      failures += 1;
      if (failures === 2) freeze(holdTiming.stopMs);
      // Whatever the one after that time has done.
      if (failures === 4) stop();
      throw new KubeError({ reason: 'timeout', message: 'cut off', outcome });
    }
    if (of !== 'create resource') return await write();
    const ended = create(write);
    await Promise.all([ended.catch(() => undefined), isStopped]);
    return await ended;
  });
  return storeOver(cutOff, { ...holdTiming, renewMs: 10 }, clock);
}

describe('a holder that cannot renew stops, and the next one takes its place', () => {
  it.each(['refused', 'unknown'] as const)('its renewals are %s', async (outcome) => {
    const set = `slow-${outcome}`;
    const members = Array.from({ length: 20 }, (_each, index) => member(`${set}-${index}`, 1));
    const first = await put(
      cutOffHolder(outcome, (write) => write()),
      set,
      members,
    );
    expect(first.isRecorded).toBe(false);
    const outcomes = first.members.map((each) => each.outcome);
    expect(outcomes.filter((each) => each === 'not_attempted')).toHaveLength(4);
    const { clock, freeze } = manualTime();
    const newcomer = storeOver(client, holdTiming, clock);
    for (const [retryAfter, ms] of [
      [5, holdTiming.deadMs - 1],
      [1, 1],
    ] as const) {
      const refused = { code: 'set_busy', retryAfter };
      await expect(put(newcomer, set, members)).rejects.toMatchObject(refused);
      freeze(ms);
    }
    expect((await put(newcomer, set, members)).isRecorded).toBe(true);
    expect(await membersOf(set)).toHaveLength(20);
  });
});

it('a write of a member that does not arrive is not sent again without the hold', async () => {
  const message = 'never arrived';
  const store = cutOffHolder('refused', () =>
    Promise.reject(new KubeError({ reason: 'timeout', message, outcome: 'unknown' })),
  );
  const result = await put(store, 'late', [member('late-a', 1)]);
  expect(shown(result)).toEqual(['late-a create refused set_busy']);
  expect(await membersOf('late')).toEqual([]);
});

it('an API server that answers late gets one renewal at a time, and the end waits for no more', async () => {
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
  let renewals = 0;
  const late = writing(client, async (write, of) => {
    if (of === 'replace summary') {
      renewals += 1;
      if (renewals === 1) await isAnswered;
    }
    // Some hundred times the time after which it would renew.
    if (of === 'create resource') await pause(400);
    return await write();
  });
  const store = storeOver(late, { ...holdTiming, renewMs: 1 });
  const request = put(store, 'queue', [member('queue-a', 1)]);
  await eventually(async () => expect(await membersOf('queue')).toEqual(['queue-a 1']));
  answer();
  expect((await request).isRecorded).toBe(true);
  expect(renewals).toBeLessThan(30);
});
