// What the end of a process means for the events that were in it.
import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../src/crds/claimed-event.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import type { Answer } from '../../../../src/events/protocol.ts';
import {
  afterProcessEnd,
  judgedEvent,
  mayBeCrash,
} from '../../../../src/reconcilers/crashes/answer.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import { aClaim, inFlight, now, observing } from '../../../support/fixtures/builders.ts';

const failed = (code: string, more: Partial<Extract<Answer, { kind: 'failed' }>> = {}): Answer => ({
  kind: 'failed',
  terminal: false,
  code,
  message: 'x',
  ...more,
});
const lost = failed('CONNECTION_LOST', { unanswered: true });
const unreached = failed('UNREACHABLE', { unanswered: true });
const busy = failed('HTTP_503');
const terminated = { exitCode: 3, message: 'Error: Boom\n' };
const end = { terminated, others: 0, isPlanned: false };

it('only a lost or refused connection may be a crash', () => {
  expect([lost, unreached, busy, failed('TIMEOUT', { unanswered: true })].map(mayBeCrash)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it.each([
  [end, 'The process ended with code 3 during this attempt: Error: Boom'],
  [
    { ...end, others: 1 },
    'The process ended with code 3 during this attempt and 1 other: Error: Boom',
  ],
  [
    { ...end, others: 9, terminated: undefined },
    'The process of the provider ended during this attempt and 9 others',
  ],
  [
    { ...end, terminated: { exitCode: 137, reason: 'OOMKilled' } },
    'The process ran out of memory during this attempt (OOMKilled)',
  ],
  [
    { ...end, terminated: { exitCode: 137 } },
    'The process was terminated by SIGKILL during this attempt without an error message',
  ],
])('the last words of the process become the error: %#', (given, message) => {
  expect(afterProcessEnd(lost, given, 'evt-1').answer).toMatchObject({ code: 'CRASHED', message });
});

it('the last lines of the process are kept of an event that was alone in it', () => {
  expect(afterProcessEnd(lost, end, 'evt-1').answer).toMatchObject({ log: ['Error: Boom'] });
  const shared = afterProcessEnd(lost, { ...end, others: 1 }, 'evt-1');
  expect(shared.answer).not.toHaveProperty('log');
});

it('an event that did not reach the process, or whose pod was replaced, has nothing to do with its end', () => {
  for (const [answer, given] of [
    [unreached, end],
    [lost, { ...end, isPlanned: true }],
  ] as const) {
    expect(afterProcessEnd(answer, given, 'evt-1')).toMatchObject({
      answer,
      processEnd: { isPlanned: true },
    });
  }
});

const alone = { others: 0, isPlanned: false };
const shared = { others: 9, isPlanned: false };
const planned = { others: 0, isPlanned: true };
type Crash = ClaimedEvent['crash'];
const rows: readonly (readonly [string, Crash, Parameters<typeof judgedEvent>[1], Crash])[] = [
  [
    'alone in its process is the culprit',
    undefined,
    { answer: lost, processEnd: alone },
    'Culprit',
  ],
  ['among others is a suspect', undefined, { answer: lost, processEnd: shared }, 'Suspect'],
  ['stays the culprit among others', 'Culprit', { answer: lost, processEnd: shared }, 'Culprit'],
  [
    'alone after it was a suspect is the culprit',
    'Suspect',
    { answer: lost, processEnd: alone },
    'Culprit',
  ],
  [
    'in a pod that is replaced stays what it was',
    'Suspect',
    { answer: lost, processEnd: planned },
    'Suspect',
  ],
  ['with any answer is cleared', 'Suspect', { answer: busy }, undefined],
  ['that goes on is cleared', 'Suspect', { answer: { kind: 'later', retryAfterMs: 1 } }, undefined],
  ['without an answer stays a suspect', 'Suspect', { answer: lost }, 'Suspect'],
  [
    'among others after it was a suspect is the culprit: no other suspect was in the pod',
    'Suspect',
    { answer: lost, processEnd: shared },
    'Culprit',
  ],
  [
    'that is interrupted stays what it was',
    'Suspect',
    { answer: failed('interrupted') },
    'Suspect',
  ],
  [
    'that is interrupted as one of several is a suspect',
    undefined,
    { answer: failed('interrupted', { suspect: true }) },
    'Suspect',
  ],
  [
    'that ended a process stays the culprit among several',
    'Culprit',
    { answer: failed('interrupted', { suspect: true }) },
    'Culprit',
  ],
  ['that ended a process stays the culprit with an answer', 'Culprit', { answer: busy }, 'Culprit'],
  ['that the SDK names is the culprit', undefined, { answer: failed('crashed') }, 'Culprit'],
];

it.each(rows)('an event %s', (_name, crash, given, want) => {
  const event = crash === undefined ? aClaim() : { ...aClaim(), crash };
  expect(judgedEvent(event, given).crash).toBe(want);
});

it.each([
  [
    'spends no attempt as a suspect',
    shared,
    { isFree: true, event: { attempt: 8, crash: 'Suspect' } },
  ],
  ['spends no attempt with its pod', planned, { isFree: true, event: { attempt: 8 } }],
])('the last attempt %s', (_name, processEnd, want) => {
  const { maxAttempts: attempt } = defaultRetryPolicy;
  const unrecorded = { answer: lost, processEnd, config: {} };
  const decision = decide(
    observing(inFlight({ attempt }), { unrecorded }),
    now,
    defaultRetryPolicy,
  );
  expect(decision).toMatchObject({
    do: 'scheduleRetry',
    ...want,
    event: { ...want.event, attempt },
  });
});

it.each([
  ['of a pod', 'v1', { do: 'scheduleRetry', isFree: true, event: { attempt: 8 } }],
  ['of a provider elsewhere', undefined, { do: 'fail' }],
])('the last attempt, interrupted by the end of a process %s', (_name, providerVersion, want) => {
  const { maxAttempts: attempt } = defaultRetryPolicy;
  const unrecorded = { answer: failed('interrupted'), providerVersion, config: {} };
  const decision = decide(
    observing(inFlight({ attempt }), { unrecorded }),
    now,
    defaultRetryPolicy,
  );
  expect(decision).toMatchObject(want);
});

it('the last attempt of a suspect is a failure when its pod ends again', () => {
  const { maxAttempts: attempt } = defaultRetryPolicy;
  const unrecorded = { answer: lost, processEnd: shared, config: {} };
  const again = inFlight({ attempt, crash: 'Suspect' });
  const decision = decide(observing(again, { unrecorded }), now, defaultRetryPolicy);
  expect(decision).toMatchObject({ do: 'fail', event: { crash: 'Culprit' } });
});

it('the last attempt of the culprit is a failure', () => {
  const { maxAttempts: attempt } = defaultRetryPolicy;
  const unrecorded = {
    answer: failed('CRASHED', { unanswered: true }),
    processEnd: alone,
    config: {},
  };
  const decision = decide(
    observing(inFlight({ attempt }), { unrecorded }),
    now,
    defaultRetryPolicy,
  );
  expect(decision).toMatchObject({
    do: 'fail',
    event: { crash: 'Culprit' },
    failure: { code: 'CRASHED' },
  });
});
