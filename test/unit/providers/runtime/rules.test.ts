// The rules of a supervisor: which child takes an event, when a child is started or ended, and what becomes of the events in one that
// has ended.
import { describe, expect, it } from 'vitest';
import {
  createRestarts,
  holdUntil,
} from '../../../../src/providers/runtime/supervisor/restarts.ts';
import {
  type ChildEnd,
  type ChildView,
  endedAlone,
  heapMi,
  isUnblamed,
  nextStep,
  type PoolView,
  quarantine,
  receiver,
  type Step,
  verdict,
} from '../../../../src/providers/runtime/supervisor/rules.ts';

function child(id: number, about: Partial<ChildView> = {}): ChildView {
  return {
    ...{ id, role: 'serving', phase: 'ready', phaseMs: 0, blockedMs: 0, events: 0 },
    ...{ ignoringMs: 0, supersededMs: 0, isOutdated: false },
    ...about,
  };
}

const suspected = (id: number, about: Partial<ChildView> = {}) =>
  child(id, { role: 'quarantine', ...about });

describe('an event goes to', () => {
  const cases: Record<string, [readonly ChildView[], number | undefined]> = {
    'the child that serves': [[child(1)], 1],
    'the newest that serves': [[child(1), child(2)], 2],
    'the one before, while the next starts': [[child(1), child(2, { phase: 'starting' })], 1],
    'none that is about to end': [[child(1, { phase: 'ending' })], undefined],
    'none that was told to end': [[child(1, { phase: 'leaving' })], undefined],
    'none whose event loop does not turn': [[child(1, { blockedMs: 1_000 })], undefined],
    'one whose event loop was slow': [[child(1, { blockedMs: 999 })], 1],
    'no quarantine': [[suspected(1)], undefined],
  };
  it.each(Object.entries(cases))('%s', (_name, [children, want]) => {
    expect(receiver(children)?.id).toBe(want);
  });
});

describe('a suspect goes to', () => {
  const cases: Record<string, [readonly ChildView[], number | undefined]> = {
    'the quarantine': [[child(1), suspected(2)], 2],
    'none whose event loop does not turn': [[suspected(2, { blockedMs: 1_000 })], undefined],
    'none that ends after a handler': [[suspected(2, { phase: 'ending' })], undefined],
    'none that starts': [[suspected(2, { phase: 'starting' })], undefined],
    'no child that serves': [[child(1)], undefined],
  };
  it.each(Object.entries(cases))('%s', (_name, [children, want]) => {
    expect(quarantine(children)?.id).toBe(want);
  });
});

describe('the next step', () => {
  const serving: Step = { do: 'start', role: 'serving' };
  const isolating: Step = { do: 'start', role: 'quarantine' };
  const full = { phase: 'ending', events: 1 } as const;
  const cases: Record<string, [Partial<PoolView>, Step | undefined]> = {
    'starts the first child': [{}, serving],
    'is none while it starts': [{ children: [child(1, { phase: 'starting' })] }, undefined],
    'is none while it serves': [{ children: [child(1, { events: 9 })] }, undefined],
    'waits after ends without an event': [{ holdMs: 1 }, undefined],
    'starts none while the pod stops': [{ isStopping: true }, undefined],
    'replaces a child at the moment of a crash': [{ children: [child(1, full)] }, serving],
    'replaces a child that is blocked for a second': [
      { children: [child(1, { events: 2, blockedMs: 1_000 })] },
      serving,
    ],
    'judges a child that is blocked for ten': [
      { children: [child(1, { events: 2, blockedMs: 10_000 }), child(2)] },
      { do: 'judge', child: 1 },
    ],
    'judges it by the limit of the provider': [
      { children: [child(1, { events: 2, blockedMs: 59_999 }), child(2)], hangMs: 60_000 },
      undefined,
    ],
    'does not kill it for its place before': [
      {
        children: [child(1, { events: 1, blockedMs: 40_000, supersededMs: 39_000 }), child(2)],
        ...{ hangMs: 60_000, suspects: 1 },
      },
      undefined,
    ],
    'judges it once': [
      { children: [child(1, { events: 2, blockedMs: 10_000, phase: 'leaving' }), child(2)] },
      undefined,
    ],
    'never starts a third': [{ children: [child(1, full), child(2, full)] }, undefined],
    'makes room for a child that serves after 30 s': [
      { children: [child(1, { ...full, phaseMs: 30_000 }), child(2, full)] },
      { do: 'kill', child: 1 },
    ],
    'ends the quarantine for a child that serves': [
      { children: [child(1, full), suspected(2, { events: 1 })] },
      { do: 'kill', child: 2 },
    ],
    'starts a quarantine for suspects': [{ children: [child(1)], suspects: 2 }, isolating],
    'starts what serves first': [{ children: [], suspects: 2 }, serving],
    'keeps one quarantine for all': [
      { children: [child(1), suspected(2, { events: 1 })], suspects: 2 },
      undefined,
    ],
    'lets the events of an ending child finish before a quarantine': [
      { children: [child(1, { ...full, phaseMs: 29_999 }), child(2)], suspects: 1 },
      undefined,
    ],
    'makes room for a quarantine after 30 s': [
      { children: [child(1, { ...full, phaseMs: 30_000 }), child(2)], suspects: 1 },
      { do: 'kill', child: 1 },
    ],
    'lets a quarantine finish that a handler has ended': [
      { children: [child(1), suspected(2, full)], suspects: 1 },
      undefined,
    ],
    'ends that after 30 s for another one': [
      { children: [child(1), suspected(2, { ...full, phaseMs: 30_000 })], suspects: 1 },
      { do: 'kill', child: 2 },
    ],
    'keeps a quarantine while it has an event': [
      { children: [child(1), suspected(2, { events: 1 })] },
      undefined,
    ],
    'stops an empty quarantine': [{ children: [child(1), suspected(2)] }, { do: 'stop', child: 2 }],
    'stops a child that has no event any more and a newer one beside it': [
      { children: [child(1, { supersededMs: 5 }), child(2)] },
      { do: 'stop', child: 1 },
    ],
    'keeps it while it has events': [
      { children: [child(1, { supersededMs: 5, events: 1 }), child(2)] },
      undefined,
    ],
    'starts a child with new settings beside the old one': [
      { children: [child(1, { isOutdated: true, events: 1 })] },
      serving,
    ],
    'does not end a quarantine for new settings': [
      { children: [child(1, { isOutdated: true }), suspected(2, { events: 1 })] },
      undefined,
    ],
    'kills a child that does not start within 60 s': [
      { children: [child(1, { phase: 'starting', phaseMs: 60_000 })] },
      { do: 'kill', child: 1 },
    ],
    'kills a quarantine whose handler ignores its signal': [
      { children: [child(1), suspected(2, { events: 1, ignoringMs: 5_000 })], suspects: 1 },
      { do: 'kill', child: 2 },
    ],
    'lets a handler that ignores its signal be, where nobody waits for it': [
      { children: [child(1, { events: 1, ignoringMs: 5_000 })] },
      undefined,
    ],
  };
  it.each(Object.entries(cases))('%s', (_name, [view, want]) => {
    const none = { children: [], suspects: 0, holdMs: 0, hangMs: 10_000, isStopping: false };
    expect(nextStep({ ...none, ...view })).toEqual(want);
  });
});

describe('an event whose child has ended', () => {
  const event = (id: number, about = {}) => ({ id, isBegun: true, isAborted: false, ...about });
  const end = (about: Partial<ChildEnd>): ChildEnd => ({ events: [], isOurs: false, ...about });
  const two = [event(1), event(2)];
  const cases: Record<string, [ReturnType<typeof event>, ChildEnd, string]> = {
    'alone is the culprit': [event(1), end({ events: [event(1)] }), 'culprit'],
    'beside one that had not begun is the culprit': [
      event(1),
      end({ events: [event(1), event(2, { isBegun: false })] }),
      'culprit',
    ],
    'that had not begun runs again': [
      event(2, { isBegun: false }),
      end({ events: [event(1), event(2, { isBegun: false })] }),
      'again',
    ],
    'beside another is a suspect': [event(1), end({ events: two }), 'suspect'],
    'that blocked it is the culprit': [event(1), end({ events: two, culprit: 1 }), 'culprit'],
    'that was blocked runs again': [event(2), end({ events: two, culprit: 1 }), 'again'],
    'that gave its place runs again': [event(1), end({ events: two, isOurs: true }), 'again'],
    'whose time is over is interrupted': [
      event(1, { isAborted: true }),
      end({ events: two, isOurs: true }),
      'interrupted',
    ],
    'alone is the culprit, although its time is over': [
      event(1, { isAborted: true }),
      end({ events: [event(1, { isAborted: true })] }),
      'culprit',
    ],
  };
  it.each(Object.entries(cases))('%s: %j', (_name, [each, ending, want]) => {
    expect(verdict(each, ending)).toBe(want);
  });
});

describe('after ends without an event, a child starts', () => {
  const cases: [readonly number[], number, number | undefined][] = [
    [[], 7, 7],
    [[0], 0, 1_000],
    [[0, 1_000], 1_000, 3_000],
    [[0, 1, 2], 2, 4_002],
    [[0, 1, 2, 3], 3, 8_003],
    [[0, 1, 2, 3, 4], 4, undefined],
    [[0, 1, 2, 3, 300_003], 300_003, 301_003],
  ];
  it.each(cases)('%j at %i: %s', (ends, now, want) => {
    expect(holdUntil(ends, now)).toBe(want);
  });
});

describe('another child may follow', () => {
  /** Seconds of the ends: `noted` are those without an event. */
  const cases: Record<
    string,
    [readonly (readonly [at: number, kind: 'noted' | 'of an event'])[], boolean]
  > = {
    'no end': [[], true],
    'not an end without an event soon after the start': [[[14, 'noted']], false],
    'an end of an event soon after the start': [[[2, 'of an event']], true],
    'an end of an event after an early one, which another child survived': [
      [
        [2, 'noted'],
        [14, 'of an event'],
      ],
      true,
    ],
    'a late end after an early one': [
      [
        [2, 'noted'],
        [3_600, 'noted'],
      ],
      true,
    ],
    'not the fifth end within five minutes': [
      [100, 150, 200, 250, 300].map((at) => [at, 'noted'] as const),
      false,
    ],
    'the fifth end in a longer time': [
      [100, 200, 300, 400, 500].map((at) => [at, 'noted'] as const),
      true,
    ],
    'not an end of an event while the fifth end is recent': [
      [...[100, 150, 200, 250, 300].map((at) => [at, 'noted'] as const), [310, 'of an event']],
      false,
    ],
  };
  it.each(Object.entries(cases))('after %s', (_name, [ends, want]) => {
    let now = 7_000;
    const restarts = createRestarts(15_000, () => now);
    let areLeft = restarts.areLeft(false);
    for (const [at, kind] of ends) {
      now = 7_000 + 1_000 * at;
      if (kind === 'noted') restarts.note();
      areLeft = restarts.areLeft(kind === 'noted');
    }
    expect(areLeft).toBe(want);
  });
});

describe('the end of a child', () => {
  const unblamed = { isBlamed: false, hasBlamed: false };
  it.each([
    ['without an event', unblamed, true],
    ['by an event', { ...unblamed, isBlamed: true }, false],
    ['that an event was answered for', { ...unblamed, hasBlamed: true }, false],
  ])('%s is shown by no answer: %j', (_name, end, want) => {
    expect(isUnblamed(end)).toBe(want);
  });

  const alone = { events: 0, phase: 'ready' } as const;
  it.each([
    ['while it serves', alone, true],
    ['while it starts', { ...alone, phase: 'starting' as const }, true],
    ['with an event', { ...alone, events: 1 }, false],
    ['after a handler has ended it', { ...alone, phase: 'ending' as const }, false],
  ])('%s is one without an event: %j', (_name, end, want) => {
    expect(endedAlone(end)).toBe(want);
  });
});

it.each([
  [64, 32],
  [128, 32],
  [512, 224],
  [1_024, 480],
])('in %i MiB, a heap has %i', (limit, want) => {
  expect(heapMi(limit)).toBe(want);
});
