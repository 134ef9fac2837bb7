// Whether and when Fairlead corrects by itself.
import { describe, expect, it } from 'vitest';
import {
  wholeWindowEndAfter,
  windowEndAfter,
} from '../../../../src/domain/observation/schedule.ts';
import {
  correctionDue,
  correctionsInRow,
  gateOf,
  isConfirmed,
  isLoop,
  isMassive,
  lookAt,
  nextCorrections,
  type Observations,
} from '../../../../src/reconcilers/observation/correction.ts';
import type { Subject } from '../../../../src/reconcilers/observation/subject.ts';
import { now } from '../../../support/fixtures/builders.ts';
import {
  aDrifted,
  aSubject,
  at,
  changed,
  gone,
  hour,
  minute,
} from '../../../support/fixtures/observation/observed-subjects.ts';

const time = now.getTime();
const report = { observe: { onDrift: 'Report' } } as const;
const corrections = (count: number, ms = -2 * hour, generation = 1) => ({
  corrections: { count, at: at(ms), generation },
});
const windowEnd = windowEndAfter({ provider: aSubject().provider, everyMs: hour }, time);

interface Case {
  readonly reason: string;
  readonly subject: Subject;
  readonly want: number | undefined;
}

const cases: Record<string, Case> = {
  'begins after the window of its provider': {
    reason: 'Each other object of the provider was looked at by then.',
    subject: aDrifted(),
    want: windowEnd,
  },
  'begins after the window for what is gone': {
    reason: 'A wrong region shows everything as gone.',
    subject: aDrifted({ status: { reason: 'Gone', drift: gone } }),
    want: windowEnd,
  },
  'begins an interval after the last correction': {
    reason: 'One correction per interval.',
    subject: aDrifted({ status: corrections(1, 2 * hour) }),
    want: time + 3 * hour,
  },
  'begins after the window when the last one was counted, and not begun': {
    reason: 'The process crashed between the two writes: that generation does not exist.',
    subject: aDrifted({ status: corrections(1, 0, 2) }),
    want: windowEnd,
  },
  'begins after the window when the last correction was long ago': {
    reason: 'It is another difference.',
    subject: aDrifted({ status: corrections(1, -20 * hour) }),
    want: windowEnd,
  },
  'begins with the interval of the type for what is observed on request': {
    reason: 'Somebody requested the observation that found it.',
    subject: aDrifted({}, { everyMs: undefined, typeEveryMs: hour }),
    want: windowEnd,
  },
  'does not begin without drift': {
    reason: 'There is nothing to correct.',
    subject: aSubject({ spec: { observe: { onDrift: 'Correct' } } }),
    want: undefined,
  },
  'does not begin when drift is only reported': {
    reason: 'Somebody decided so.',
    subject: aDrifted({ spec: report }),
    want: undefined,
  },
  'does not begin by default': {
    reason: 'Reporting is the default.',
    subject: aSubject({ status: { drift: changed } }),
    want: undefined,
  },
  'does not begin while the resource is paused': {
    reason: 'Nothing is sent then.',
    subject: aDrifted({ spec: { observe: { onDrift: 'Correct' }, paused: true } }),
    want: undefined,
  },
  'does not begin for what is only observed': {
    reason: 'Fairlead changes nothing there.',
    subject: aDrifted({}, { isReadOnly: true }),
    want: undefined,
  },
  'does not begin after three that did not last': {
    reason: 'Two managers fight.',
    subject: aDrifted({ status: corrections(3) }),
    want: undefined,
  },
};

it.each(Object.entries(cases))('a correction %s', (_name, { reason, subject, want }) => {
  expect(correctionDue(subject, { now: time, beganAt: time - 2 * hour }), reason).toBe(want);
});

it('a correction begins after the first whole window of a leader', () => {
  const drifted = aDrifted();
  const { provider } = drifted;
  for (const beganAt of [time, windowEnd - hour / 20, windowEnd]) {
    const due = correctionDue(drifted, { now: time, beganAt }) ?? 0;
    const whole = wholeWindowEndAfter({ provider, everyMs: hour }, beganAt);
    expect([due, whole - beganAt > hour / 10]).toEqual([Math.max(whole, windowEnd), true]);
  }
});

it('a correction follows what was observed in this interval, under the present release', () => {
  const last = { observedAt: time, released: undefined };
  const isNow = (seen: Parameters<typeof isConfirmed>[1], released?: string, now = time) =>
    isConfirmed(aDrifted(), seen, { now, released });
  expect(isNow(last)).toBe(true);
  expect(isNow(undefined)).toBe(false);
  expect(isNow({ ...last, observedAt: undefined })).toBe(false);
  expect(isNow(last, undefined, time + hour), 'it is too long ago').toBe(false);
  expect(isNow(last, at(-hour)), 'it was asked for before the release').toBe(false);
  expect(isNow({ ...last, released: at(hour) }, at(hour)), 'after it, whatever it says').toBe(true);
});

describe('corrections in a row', () => {
  it.each<[string, number, object]>([
    ['counts them', 2, corrections(2)],
    ['counts none before the first', 0, {}],
    ['counts one that is ten intervals old', 2, corrections(2, -10 * hour)],
    ['forgets one that is older', 0, corrections(2, -10 * hour - 1)],
    ['begins anew after a change of the spec', 0, corrections(2, -hour, 0)],
    ['does not count one that was not begun', 1, corrections(2, -hour, 2)],
  ])('%s', (_name, want, status) => {
    const { resource } = aDrifted({ status });
    expect(correctionsInRow(resource, { everyMs: hour, now: time })).toBe(want);
  });

  it('are a loop after three, where corrections are wanted', () => {
    const loops = [2, 3, 4].map((count) => isLoop(aDrifted({ status: corrections(count) }), time));
    expect(loops).toEqual([false, true, true]);
    expect(isLoop(aDrifted({ spec: report, status: corrections(3) }), time)).toBe(false);
  });

  it('are counted before the spec is changed, for the generation that this makes', () => {
    const subject = aDrifted({ metadata: { generation: 4 }, status: corrections(2, -hour, 4) });
    expect(nextCorrections(subject, now)).toEqual({ count: 3, at: at(0), generation: 5 });
    const again = aDrifted({ metadata: { generation: 4 }, status: corrections(3, -hour, 5) });
    expect(nextCorrections(again, now)).toEqual({ count: 3, at: at(0), generation: 5 });
    const anew = aDrifted({ metadata: { generation: 5 }, status: corrections(2, -hour, 4) });
    expect(nextCorrections(anew, now)).toMatchObject({ count: 1, generation: 6 });
  });
});

describe('what drifted together', () => {
  it.each<[observed: number, drifted: number, want: boolean]>([
    [10, 10, false],
    [11, 11, true],
    [50, 10, false],
    [50, 11, true],
    [100, 20, false],
    [100, 21, true],
    [10_000, 2_000, false],
    [10_000, 2_001, true],
  ])('of %i, %i is massive: %s', (observed, drifted, want) => {
    expect(isMassive({ observed, drifted })).toBe(want);
  });

  const lookedAs = (
    observedAt: readonly number[],
    since: readonly number[],
    awaited: readonly number[] = [],
  ): Observations => ({
    ...{ observedAt, awaited },
    drifted: since.map((each) => ({ since: each, everyMs: hour })),
  });
  const times = (count: number, at = time) => Array.from({ length: count }, () => at);

  it('is what drifted within two intervals, at whatever time it is now', () => {
    const gate = (since: readonly number[]) => gateOf(lookedAs(times(11), since), hour);
    const early = times(6, time - 50 * hour);
    expect(gate([...early, ...times(5, time - 48 * hour - 1)])).toMatchObject({
      ...{ is: 'held', by: { observed: 11, drifted: 11 } },
    });
    expect(gate([...early, ...times(5, time - 48 * hour)])).toEqual({ is: 'open' });
  });

  it('is counted by the intervals of what drifted', () => {
    const drifted = times(11).map((since, nth) => ({ since: since + nth * 1_000, everyMs: hour }));
    const looked = { observedAt: times(50), awaited: [], drifted };
    expect(gateOf(looked, minute)).toMatchObject({ is: 'held', by: { drifted: 11 } });
    const often = { ...looked, drifted: drifted.map((each) => ({ ...each, everyMs: 1_000 })) };
    expect(gateOf(often, hour)).toEqual({ is: 'open' });
  });

  it('is a share of what was observed since: a provider may look elsewhere from the middle of a window on', () => {
    const moments = Array.from({ length: 100 }, (_, nth) => time + nth);
    const since = moments.slice(85);
    const held = { is: 'held', by: { observed: 15, drifted: 15 } };
    expect(gateOf(lookedAs(moments, since), hour)).toEqual(held);
    expect(gateOf(lookedAs(moments, [time + 3, ...since]), hour), 'of any group').toEqual(held);
    expect(gateOf(lookedAs(moments, [time + 3, time + 85]), hour)).toEqual({ is: 'open' });
  });

  it('is unknown while so many are awaited that they decide', () => {
    const isFor = (awaited: readonly number[], every = hour) =>
      gateOf(lookedAs(times(50), times(12), awaited), every).is;
    expect(isFor([])).toBe('held');
    expect(isFor(times(9, hour))).toBe('held');
    expect(isFor(times(10, hour))).toBe('unknown');
    expect(isFor(times(10, 2 * hour)), 'what is observed less often').toBe('held');
    expect(gateOf(lookedAs([], times(200), times(500, hour)), hour), 'of a new leader').toEqual({
      ...{ is: 'held', by: { observed: 500, drifted: 200 } },
    });
    expect(gateOf(lookedAs([], times(12)), hour), 'on request').toEqual({
      ...{ is: 'held', by: { observed: 12, drifted: 12 } },
    });
  });

  it('is found in the resources of the provider, drifted or not', () => {
    const seen = { observedAt: time, released: undefined, failures: 0 };
    const never = { ...seen, observedAt: undefined };
    const drift = { ...gone, since: at(5) };
    const subjects = [
      [aSubject(), seen],
      [aDrifted(), undefined],
      [aDrifted({ status: { drift }, spec: report }), { ...seen, observedAt: time + 5 }],
      [aSubject(), { ...never, failures: 2 }],
      [aSubject(), { ...never, failures: 3 }],
      [aSubject({}, { everyMs: undefined }), undefined],
      [aDrifted({ status: { drift: { ...drift, correctionsReleased: at(0) } } }), seen],
    ] as const;
    const turning = { since: time, everyMs: hour };
    expect(lookAt(subjects, undefined)).toEqual({
      observedAt: [time, time + 5, time],
      awaited: [hour, hour],
      drifted: [turning, { since: time + 5, everyMs: hour }],
    });
    expect(lookAt(subjects, at(0)).drifted, 'what was found after a release').toEqual([
      { since: time + 5, everyMs: hour },
    ]);
    const onRequest = aDrifted({}, { everyMs: undefined, typeEveryMs: 7 });
    expect(lookAt([[onRequest, undefined]], undefined)).toMatchObject({
      ...{ awaited: [], drifted: [{ since: time, everyMs: 7 }] },
    });
  });
});
