// One request at a time writes a set: the later one is refused, a holder renews its hold, and one that cannot stops. The store on a real
// API server; conditions decide about the order, and clocks only about a holder that is gone.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { FairleadError } from '../../../src/domain/errors.ts';
import { KubeError } from '../../../src/kube/errors.ts';
import type { HoldTiming } from '../../../src/store/sets/hold.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import {
  countingWrites,
  impatient,
  setsOfAnOrganization,
  shownOutcomes as shown,
  writing,
} from '../../support/fixtures/sets.ts';
import { eventually } from '../../support/runner/eventually.ts';

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
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const { client: counted, sent } = countingWrites(client);
  const slow = writing(counted, async (write, of) => {
    if (of === 'create resource') await isReleased;
    return await write();
  });
  const first = put(storeOver(slow, { ...impatient, renewMs: 10 }), 'long', [member('long-a', 1)]);
  const newcomer = storeOver(client, impatient);
  const beganAt = performance.now();
  await eventually(async () => {
    const second = put(newcomer, 'long', [member('long-a', 2)]);
    await expect(second).rejects.toMatchObject({ code: 'set_busy' });
    expect(performance.now() - beganAt).toBeGreaterThan(4 * impatient.deadMs);
  });
  expect(sent.filter((of) => of === 'replace summary').length).toBeGreaterThan(4);
  release();
  expect((await first).isRecorded).toBe(true);
  expect(await membersOf('long')).toEqual(['long-a 1']);
});

describe('a holder that cannot renew stops, and the next one takes its place', () => {
  const timing: HoldTiming = { renewMs: 20, stopMs: 60, deadMs: 120 };

  it.each(['refused', 'unknown'] as const)('its renewals are %s', async (outcome) => {
    const set = `slow-${outcome}`;
    let refusals = 0;
    const { promise: isStopped, resolve: stop } = Promise.withResolvers<void>();
    const cutOff = writing(client, async (write, of) => {
      if (of === 'replace summary') {
        refusals += 1;
        // Later than it must have renewed: each of them is about a fiftieth of a second after the one before.
        if (refusals === 6) stop();
        throw new KubeError({ reason: 'timeout', message: 'cut off', outcome });
      }
      const written = await write();
      if (of === 'create resource') await isStopped;
      return written;
    });
    const members = Array.from({ length: 20 }, (_each, index) => member(`${set}-${index}`, 1));
    const first = await put(storeOver(cutOff, timing), set, members);
    expect(first.isRecorded).toBe(false);
    const outcomes = first.members.map((each) => each.outcome);
    expect(outcomes.filter((each) => each === 'not_attempted')).toHaveLength(4);
    const newcomer = storeOver(client, timing);
    const finished = await eventually(() => put(newcomer, set, members));
    expect(finished.isRecorded).toBe(true);
    expect(await membersOf(set)).toHaveLength(20);
  });
});

it('a write of a member that lost a race does not begin again without the hold', async () => {
  const timing: HoldTiming = { renewMs: 20, stopMs: 60, deadMs: 60_000 };
  const { promise: isStopped, resolve: stop } = Promise.withResolvers<void>();
  let refusals = 0;
  const cutOff = writing(client, async (write, of) => {
    if (of === 'replace summary') {
      refusals += 1;
      if (refusals === 6) stop();
      throw new KubeError({ reason: 'unavailable', message: 'cut off' });
    }
    if (of !== 'create resource') return await write();
    await isStopped;
    throw new KubeError({ reason: 'timeout', message: 'never arrived', outcome: 'unknown' });
  });
  const result = await put(storeOver(cutOff, timing), 'late', [member('late-a', 1)]);
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
  const store = storeOver(late, { ...impatient, renewMs: 1 });
  const request = put(store, 'queue', [member('queue-a', 1)]);
  await eventually(async () => expect(await membersOf('queue')).toEqual(['queue-a 1']));
  answer();
  expect((await request).isRecorded).toBe(true);
  expect(renewals).toBeLessThan(30);
});
