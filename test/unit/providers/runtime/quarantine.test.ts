// The order of suspects: a culprit ends a process alone after few ends, and an innocent whose handler runs long holds nobody up.
import { describe, expect, it } from 'vitest';
import {
  createSuspects,
  knownSuspicion,
  nextSuspects,
  type Suspect,
  type Suspicion,
  suspicionAfterEnd,
} from '../../../../src/providers/runtime/supervisor/quarantine.ts';

interface Named extends Suspect {
  readonly name: string;
}

/** At 100 s; suspected at 50 s, where its handler had run for 5 s. */
const now = 100_000;

function suspect(
  name: string,
  about: Partial<Suspicion> & { readonly runsMs?: number } = {},
): Named {
  const { runsMs, ...more } = about;
  const suspicion = { since: 50_000, together: 1, ranMs: 5_000, isKnown: false, ...more };
  return { name, suspicion, begunAt: runsMs === undefined ? undefined : now - runsMs };
}

const cleared = suspect('long', { runsMs: 6_001 });

describe('of those that wait', () => {
  const four = ['a', 'b', 'c', 'd'].map((name) => suspect(name, { together: 2 }));
  const cases: Record<string, [readonly Named[], readonly Suspect[], string]> = {
    'half of those that ended together begin': [four, [], 'ab'],
    'those that ran for the shortest time are first': [
      [suspect('a', { ranMs: 9 }), suspect('b', { ranMs: 3 })],
      [],
      'b',
    ],
    'those that are left of fewer are first': [
      [suspect('a', { together: 4, ranMs: 1 }), suspect('b', { ranMs: 9 })],
      [],
      'b',
    ],
    'those of an earlier end are first': [
      [suspect('a', { since: 60_000 }), suspect('b', { together: 8 })],
      [],
      'b',
    ],
    'those of another end do not begin with them': [
      [suspect('a', { together: 4 }), suspect('b', { since: 60_000, together: 4 })],
      [],
      'a',
    ],
    'none begins while another may end the process': [four, [suspect('x', { runsMs: 6_000 })], ''],
    'none begins while the last one has not begun': [four, [cleared, suspect('x')], ''],
    'the next join who has run for longer than at the end': [four, [cleared], 'ab'],
    'a known one begins alone': [
      [{ ...suspect('a'), suspicion: knownSuspicion(1) }, suspect('b')],
      [],
      'a',
    ],
    'none joins a known one while it may end as before': [
      four,
      [{ suspicion: knownSuspicion(1, 9_000), begunAt: now - 19_000 }],
      '',
    ],
    'the next join a known one that has run for twice as long as before': [
      four,
      [{ suspicion: knownSuspicion(1, 9_000), begunAt: now - 19_001 }],
      'ab',
    ],
    'none joins a known one of another pod for a minute': [
      four,
      [{ suspicion: knownSuspicion(1), begunAt: now - 61_000 }],
      '',
    ],
    'the next join a known one of another pod after a minute': [
      four,
      [{ suspicion: knownSuspicion(1), begunAt: now - 61_001 }],
      'ab',
    ],
    'a known one never joins others, and lets them pass': [
      [{ ...suspect('a'), suspicion: knownSuspicion(1) }, suspect('b')],
      [cleared],
      'b',
    ],
  };
  it.each(Object.entries(cases))('%s', (_rule, [waiting, inside, want]) => {
    const begun = nextSuspects(waiting, { inside, hasRoom: true }, now);
    expect(begun.map(({ name }) => name).join('')).toBe(want);
  });

  it('none joins where memory is short', () => {
    expect(nextSuspects(four, { inside: [cleared], hasRoom: false }, now)).toEqual([]);
    expect(nextSuspects(four, { inside: [], hasRoom: false }, now)).toHaveLength(2);
  });
});

/** Events that end their process together after 3 s; one of them does it again whenever it runs for more than a second. */
function quarantineOf(names: readonly string[], culprit: string, hasRoom: boolean) {
  let time = 3_000;
  let waiting: readonly Named[] = [];
  let inside: readonly Named[] = [];
  const end = (all: readonly Omit<Named, 'suspicion'>[]) => {
    const known = all.map((each) => ({ suspicion: undefined, ...each }));
    const again = known.map((each) => {
      const suspicion = suspicionAfterEnd(each, known, time);
      return { ...each, suspicion, begunAt: undefined };
    });
    waiting = [...waiting, ...again];
    inside = [];
  };
  end(names.map((name) => ({ name, begunAt: 0 })));
  return {
    isOver: () => inside.length === 1 && inside[0]?.name === culprit,
    /** @returns whether it has ended the process */
    next(): boolean {
      if (inside.some(({ name }) => name === culprit)) {
        end(inside);
        return true;
      }
      const begun = nextSuspects(waiting, { inside, hasRoom }, time);
      waiting = waiting.filter((each) => !begun.includes(each));
      // Where none may join, the handlers end after their time.
      inside = [...(hasRoom ? inside : []), ...begun.map((each) => ({ ...each, begunAt: time }))];
      time += begun.some(({ name }) => name === culprit) ? 1_500 : 60_000;
      return false;
    },
  };
}

/** @returns the ends of processes until one of the culprit alone, which counts, too */
function endsUntilFound(names: readonly string[], culprit: string, hasRoom: boolean): number {
  const quarantine = quarantineOf(names, culprit, hasRoom);
  let ends = 2;
  while (!quarantine.isOver()) if (quarantine.next()) ends += 1;
  return ends;
}

describe('one culprit among many', () => {
  const names = Array.from({ length: 32 }, (_each, at) => `e${at}`);
  it.each([true, false])('is found by halves (others join: %s)', (hasRoom) => {
    const most = Math.max(...names.map((culprit) => endsUntilFound(names, culprit, hasRoom)));
    // 32 together, then 16, 8, 4, 2 and 1.
    expect(most).toBeLessThanOrEqual(hasRoom ? 7 : 6);
  });

  it('of two is found when it ran longer at first', () => {
    expect(endsUntilFound(['a', 'b'], 'b', true)).toBe(3);
  });
});

it('a subject is suspected for the longest time that it ran, until it ends without its process', () => {
  const suspects = createSuspects();
  suspects.add('a', 9_000);
  suspects.add('a', 5_000);
  expect([suspects.ranMs('a'), suspects.ranMs('b')]).toEqual([9_000, undefined]);
  suspects.clear('a');
  expect(suspects.ranMs('a')).toBe(undefined);
});

describe('after an end', () => {
  const judged = (each: Suspect, all: readonly Suspect[]) => suspicionAfterEnd(each, all, now);

  it('those that had just joined are halved, and who was cleared before keeps its place', () => {
    const joined = ['a', 'b', 'c'].map((name) => suspect(name, { together: 4, runsMs: 10 }));
    const long = suspect('long', { together: 8, runsMs: 9_000 });
    const all = [long, ...joined];
    expect(joined.map((each) => judged(each, all).together)).toEqual([1, 1, 1]);
    expect(judged(long, all)).toMatchObject({ together: 8, ranMs: 9_000 });
  });

  it('the last one that had joined is tried alone, before all others', () => {
    const joined = suspect('a', { runsMs: 10 });
    expect(judged(joined, [cleared, joined])).toMatchObject({ together: 0, ranMs: 5_000 });
  });

  it('those that had joined a known one are tried before it, and it joins nobody', () => {
    const known = { suspicion: knownSuspicion(60_000, 2_500), begunAt: now - 9_000 };
    const joined = ['a', 'b'].map((name) => suspect(name, { runsMs: 10 }));
    const all = [known, ...joined];
    const again = all.map((each) => ({
      ...each,
      suspicion: judged(each, all),
      begunAt: undefined,
    }));
    expect(again[0]?.suspicion).toMatchObject({ ranMs: 9_000, isKnown: true });
    expect(nextSuspects(again, { inside: [], hasRoom: true }, now)).toEqual([again[1]]);
    expect(nextSuspects(again.slice(0, 1), { inside: [cleared], hasRoom: true }, now)).toEqual([]);
  });

  it('where all were cleared, all are suspects again, for longer', () => {
    const all = [cleared, { ...cleared, begunAt: now - 9_000 }];
    expect(all.map((each) => judged(each, all))).toMatchObject([
      { together: 1, ranMs: 6_001 },
      { together: 1, ranMs: 9_000 },
    ]);
  });
});
