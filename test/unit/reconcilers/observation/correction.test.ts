// Whether and when Fairlead corrects by itself.
import { describe, expect, it } from 'vitest';
import {
  candidateOf,
  correctionDue,
  correctionsInRow,
  isLoop,
  isMassive,
  lookAt,
  nextCorrections,
  turnedWith,
} from '../../../../src/reconcilers/observation/correction.ts';
import { windowEndAfter } from '../../../../src/reconcilers/observation/schedule.ts';
import type { Subject } from '../../../../src/reconcilers/observation/subject.ts';
import { now } from '../../../support/fixtures/builders.ts';
import {
  aDrifted,
  aSubject,
  at,
  changed,
  gone,
  hour,
} from '../../../support/fixtures/observed-subjects.ts';

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
  expect(correctionDue(subject, time), reason).toBe(want);
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

describe('what turned together', () => {
  it.each<[observed: number, turned: number, want: boolean]>([
    [10, 10, false],
    [11, 11, true],
    [50, 10, false],
    [50, 11, true],
    [100, 20, false],
    [100, 21, true],
    [10_000, 2_000, false],
    [10_000, 2_001, true],
  ])('of %i, %i is massive: %s', (observed, turned, want) => {
    expect(isMassive({ observed, turned })).toBe(want);
  });

  it('is what turned within one interval, at whatever time it is now', () => {
    const since = [0, hour - 1, 1 - hour, hour, -hour].map((ms) => time + ms);
    const looked = { observedAt: Array.from({ length: 9 }, () => time), since };
    const candidate = { since: time, everyMs: hour };
    expect(turnedWith(candidate, looked, 0)).toEqual({ observed: 9, turned: 3 });
    expect(turnedWith(candidate, looked, time - 1), 'not what was released').toMatchObject({
      turned: 2,
    });
    expect(turnedWith(candidate, looked, time), 'nor with the same time').toMatchObject({
      turned: 1,
    });
  });

  it('is a share of what was observed since: a provider may look elsewhere from the middle of a window on', () => {
    const moments = Array.from({ length: 100 }, (_, nth) => time + nth);
    const since = moments.slice(85);
    const candidate = { since: time + 85, everyMs: hour };
    const turned = turnedWith(candidate, { observedAt: moments, since }, 0);
    expect(turned).toEqual({ observed: 15, turned: 15 });
    expect(isMassive(turned)).toBe(true);
    const few = turnedWith(candidate, { observedAt: moments, since: [time + 3, time + 85] }, 0);
    expect(few).toEqual({ observed: 97, turned: 2 });
    const isNew = turnedWith(candidate, { observedAt: moments.map(() => undefined), since }, 0);
    expect(isNew, 'in a process that has just started').toEqual({ observed: 100, turned: 15 });
  });

  it('is found in the resources of the provider, drifted or not', () => {
    const subjects = [
      [aSubject(), time],
      [aDrifted(), undefined],
      [aDrifted({ status: { drift: { ...gone, since: at(5) } }, spec: report }), time + 5],
    ] as const;
    expect(lookAt(subjects)).toEqual({
      observedAt: [time, undefined, time + 5],
      since: [time, time + 5],
    });
    expect(candidateOf(aDrifted({}, { everyMs: undefined, typeEveryMs: 7 }))).toEqual({
      since: time,
      everyMs: 7,
    });
  });
});
