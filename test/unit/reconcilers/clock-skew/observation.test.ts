import { beforeEach, expect, it } from 'vitest';
import type { Answer } from '../../../../src/events/protocol.ts';
import {
  type ClockSkews,
  clockSkewCondition,
  createClockSkews,
} from '../../../../src/reconcilers/clock-skew/observation.ts';

const key = 'fl-acme/notes';
const [first, second] = ['https://10.0.0.1:8443', 'https://10.0.0.2:8443'];
const done: Answer = { kind: 'succeeded', outputs: {} };
const refused: Answer = { kind: 'failed', terminal: true, code: 'HTTP_422', message: 'no' };
const silence: Answer = {
  kind: 'failed',
  terminal: false,
  unanswered: true,
  code: 'UNREACHABLE',
  message: 'connection refused',
};
const behind = (seconds: number): Answer => ({
  kind: 'failed',
  terminal: false,
  code: 'clock_skew',
  message: `${seconds} s behind`,
});

let now: number;
let pods: readonly string[];
let changes: number;
let skews: ClockSkews;

beforeEach(() => {
  now = 0;
  pods = [first, second];
  changes = 0;
  skews = createClockSkews({ clock: { monotonic: () => now } });
  skews.onChange((changed) => {
    expect(changed).toBe(key);
    changes += 1;
  });
});

function deliver(url: string, ...answers: readonly Answer[]): void {
  for (const answer of answers) {
    skews.delivered(key, { url, answer, urls: () => pods });
    now += 1_000;
  }
}

it('reports nothing before the first answer', () => {
  deliver(first, silence, silence);
  expect(skews.of(key)).toBeUndefined();
  expect(changes).toBe(0);
});

it('reports once that the clocks agree: an earlier process may have found the opposite', () => {
  deliver(first, done, refused, done);
  expect(skews.of(key)).toEqual({ skew: undefined });
  expect(changes).toBe(1);
});

it('keeps the first sentence, however long the clock differs', () => {
  deliver(first, behind(185), behind(186), silence, behind(187));
  expect(skews.of(key)).toEqual({ skew: '185 s behind' });
  expect(changes).toBe(1);
});

it.each([['a success', done] as const, ['a failure', refused] as const])(
  'ends with %s',
  (_what, answer) => {
    deliver(first, behind(185), answer);
    expect(skews.of(key)).toEqual({ skew: undefined });
    expect(changes).toBe(2);
  },
);

it('does not end with the answer of another pod', () => {
  deliver(first, behind(185));
  deliver(second, done, done);
  expect(skews.of(key)).toEqual({ skew: '185 s behind' });
  expect(changes).toBe(1);
});

it('ends with an answer when the pod with the wrong clock has gone', () => {
  deliver(first, behind(185));
  pods = [second];
  deliver(second, done);
  expect(skews.of(key)).toEqual({ skew: undefined });
});

it('changes at most twice in ten seconds, with several clocks behind one address', () => {
  for (let answers = 0; answers < 200; answers += 1) {
    deliver(first, answers % 2 === 0 ? behind(185) : done);
    now -= 900;
  }
  expect(changes).toBeLessThanOrEqual(2 * 3);
  now += 10_000;
  deliver(first, behind(185));
  expect(skews.of(key)?.skew).toBe('185 s behind');
});

const stored = [
  {
    type: 'ClockSkew',
    status: 'True',
    reason: 'ClockSkew',
    message: 'before',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  } as const,
];

it.each([
  ['appears with a finding', [], { skew: 'now' }, 'now'],
  ['has the present finding', stored, { skew: 'now' }, 'now'],
  ['disappears with an answer', stored, { skew: undefined }, undefined],
  ['stays after a restart of the controller, until an answer', stored, undefined, 'before'],
  ['is absent without a finding', [], undefined, undefined],
])('the condition %s', (_what, present, finding, message) => {
  const [condition] = clockSkewCondition(present, finding);
  expect(condition?.message).toBe(message);
  if (condition !== undefined) {
    expect(condition).toMatchObject({ type: 'ClockSkew', status: 'True', reason: 'ClockSkew' });
  }
});
