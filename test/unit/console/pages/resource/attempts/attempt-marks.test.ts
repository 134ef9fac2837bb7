import { expect, it } from 'vitest';
import {
  type AttemptFacts,
  attemptsOf,
} from '../../../../../../src/console/pages/resource/attempts/attempt-marks.ts';

const failed_at = '2026-01-31T12:00:00.000Z';
const failed = (attempt: number, error: string) => ({ attempt, error, failed_at });

const marks = { '✕': 'failed', '◐': 'current', '>': 'next', '○': 'coming', '-': 'unused' } as const;

function drawn(facts: AttemptFacts): string {
  const signs = Object.entries(marks);
  return attemptsOf(facts)
    .map(({ mark }) => signs.find(([, each]) => each === mark)?.[0])
    .join('');
}

const event = {
  ...{ event_id: 'evt-1', event_type: 'CREATE' as const, max_attempts: 4, errors: [] },
  ...{ due_since: null, limit_seconds: 30, progress: null },
};
const due = '2026-01-31T12:01:00.000Z';

it.each([
  ['◐○○○', 1, null, 'processing', 'Processing'],
  ['✕>○○', 2, due, 'processing', 'RetryScheduled'],
  ['✕◐○○', 2, null, 'processing', 'Processing'],
  // The provider is still working.
  ['✕◐○○', 2, due, 'processing', 'InProgress'],
  ['✕✕✕✕', 4, null, 'failed', 'AttemptsExhausted'],
  ['✕---', 1, null, 'failed', 'ProviderFailed'],
  // The limit was lowered meanwhile.
  ['✕✕✕✕◐', 5, null, 'processing', 'Processing'],
])('marks attempts as %s', (expected, attempt, next_attempt_at, state, reason) => {
  const facts = { event: { ...event, attempt, next_attempt_at }, state, reason, error: null };
  expect(drawn(facts)).toBe(expected);
});

const long = 'x'.repeat(300);
const cut = `${'x'.repeat(199)}…`;

it.each([
  [
    'of every attempt',
    [failed(1, 'the first'), failed(2, 'the second'), failed(3, 'the third')],
    'the third',
    ['the first', 'the second', 'the third'],
  ],
  ['in full, if it is the last one', [failed(3, cut)], long, [undefined, undefined, long]],
  [
    'as it is stored, when the record has another',
    [failed(3, cut)],
    'older',
    [undefined, undefined, cut],
  ],
  [
    'of the record, when it has not been stored with the event',
    [],
    'the third',
    [undefined, undefined, 'the third'],
  ],
])('has the message %s', (_what, errors, error, want) => {
  const attempts = attemptsOf({
    event: { ...event, attempt: 4, next_attempt_at: due, errors },
    state: 'processing',
    reason: 'RetryScheduled',
    error,
  });
  expect(attempts.map(({ message }) => message)).toEqual([...want, undefined]);
  const known = errors.map(({ attempt }) => attempt);
  expect(attempts.filter(({ at }) => at === failed_at).map(({ number }) => number)).toEqual(known);
});

it('has the error of an attempt that was not spent, and is made again', () => {
  const errors = [failed(1, 'the first'), failed(2, 'the process ended')];
  const attempts = attemptsOf({
    event: { ...event, attempt: 2, next_attempt_at: due, errors },
    state: 'processing',
    reason: 'RetryScheduled',
    error: 'the process ended',
  });
  expect(attempts.slice(0, 3).map(({ mark, message }) => [mark, message])).toEqual([
    ['failed', 'the first'],
    ['next', 'the process ended'],
    ['coming', undefined],
  ]);
});
