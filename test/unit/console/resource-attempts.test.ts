import { expect, it } from 'vitest';
import type { ResourceEvent } from '../../../src/cli/api/bodies.ts';
import {
  type AttemptFacts,
  attemptsOf,
} from '../../../src/console/pages/resource/attempt-marks.ts';

const times = {
  count: 1,
  first_at: '2026-01-31T12:00:00.000Z',
  last_at: '2026-01-31T12:00:00.000Z',
};
const retry = (message: string): ResourceEvent => ({
  ...times,
  type: 'Warning',
  reason: 'RetryScheduled',
  message,
});
const ended = (reason: string): ResourceEvent => ({
  ...times,
  type: 'Normal',
  reason,
  message: 'x',
});

const marks = { '✕': 'failed', '◐': 'current', '>': 'next', '○': 'coming', '-': 'unused' } as const;

function drawn(facts: AttemptFacts): string {
  const signs = Object.entries(marks);
  return attemptsOf(facts)
    .map(({ mark }) => signs.find(([, each]) => each === mark)?.[0])
    .join('');
}

const event = { event_id: 'evt-1', event_type: 'CREATE', max_attempts: 4 } as const;
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
  expect(drawn({ ...facts, events: [] })).toBe(expected);
});

it('takes messages from the Events of this event, and the last one from the record', () => {
  const events = [
    retry('Attempt 1 failed; retrying at 2026-01-31T11:00:00.000Z: of an earlier event'),
    ended('Processed'),
    retry('Attempt 1 failed; retrying at 2026-01-31T12:00:00.000Z: connect\nECONNREFUSED'),
  ];
  const running = attemptsOf({
    event: { ...event, attempt: 4, next_attempt_at: due },
    state: 'processing',
    reason: 'RetryScheduled',
    error: 'the third',
    events,
  });
  expect(running.map(({ message }) => message)).toEqual([
    'connect\nECONNREFUSED',
    undefined,
    'the third',
    undefined,
  ]);
  const failed = attemptsOf({
    event: { ...event, attempt: 2, next_attempt_at: null },
    state: 'failed',
    reason: 'ProviderFailed',
    error: 'refused',
    events: [...events, ended('ProviderFailed')],
  });
  expect(failed.map(({ message }) => message)).toEqual([
    'connect\nECONNREFUSED',
    'refused',
    undefined,
    undefined,
  ]);
});
