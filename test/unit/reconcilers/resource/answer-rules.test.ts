// Which decision the answer to a delivery leads to, and where in the lists that is.
import { describe, expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../src/crds/claimed-event.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import type { DeclaredTypeOptions } from '../../../../src/domain/type-options.ts';
import type { Answer } from '../../../../src/events/protocol.ts';
import { answerRules } from '../../../../src/reconcilers/resource/answer-rules.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import type { UnrecordedAnswer } from '../../../../src/reconcilers/resource/delivery/unrecorded-answers.ts';
import { inFlight, now, observing, secondsLater } from '../../../support/fixtures/builders.ts';

const config = { name: 'orders' };
const succeeded: Answer = { kind: 'succeeded', outputs: { url: 'x' } };
const later: Answer = { kind: 'later', retryAfterMs: 1_000 };
const broken: Answer = { kind: 'failed', terminal: false, code: 'HTTP_503', message: 'busy' };
const refused: Answer = { kind: 'failed', terminal: true, code: 'NO', message: 'never' };
const misfit: Answer = { kind: 'failed', terminal: true, code: 'invalid_config', message: 'size' };
const ending: Answer = { kind: 'failed', terminal: false, code: 'interrupted', message: 'ends' };
const skewed: Answer = {
  kind: 'failed',
  terminal: false,
  code: 'clock_skew',
  message: 'The clock of the provider is 185 s behind that of Fairlead',
  retryAfterMs: 30_000,
};
const limited: Answer = {
  kind: 'failed',
  terminal: false,
  code: 'rate_limited',
  message: 'The cloud allows 10 calls a minute',
  retryAfterMs: 90_000,
  retryScope: 'provider',
};
const { maxAttempts } = defaultRetryPolicy;
const deleted = { deletionTimestamp: now.toISOString() };

interface Row {
  readonly reason: string;
  readonly type?: 'CREATE' | 'DELETE' | 'OBSERVE';
  readonly attempt?: number;
  /** What the type declares. */
  readonly retry?: DeclaredTypeOptions['retry'];
  /** Since when the answers to the event blame a clock. */
  readonly skewedAt?: string;
  /** Since when the provider asks to wait. */
  readonly hold?: ClaimedEvent['hold'];
  readonly answer: Answer;
  /** Version of the provider that answered; version 2 serves. */
  readonly by?: string;
  readonly processEnd?: UnrecordedAnswer['processEnd'];
  readonly want: object;
}

const rows: Record<string, Row> = {
  completeDeletion: {
    reason: 'The provider has cleaned up; the finalizer is removed.',
    type: 'DELETE',
    answer: succeeded,
    want: { do: 'release' },
  },
  recordSuccess: {
    reason: 'The resource is ready.',
    answer: succeeded,
    want: { do: 'recordSuccess', unrecorded: { answer: succeeded, config } },
  },
  deferOperation: {
    reason: '202 spends no attempt.',
    attempt: maxAttempts,
    answer: later,
    want: { do: 'deferOperation', answer: later },
  },
  retryUncounted: {
    reason: 'The types of the version that answered are no longer in force.',
    attempt: maxAttempts,
    answer: misfit,
    by: '20260101.000001',
    want: { do: 'scheduleRetry', event: { attempt: maxAttempts }, isFree: true },
  },
  'retryUncounted, of a deletion by another version': {
    reason: 'The version that serves has the type.',
    type: 'DELETE',
    answer: { ...misfit, code: 'unknown_type' },
    by: '20260101.000001',
    want: { do: 'scheduleRetry', isFree: true },
  },
  'retryUncounted, while the process ends': {
    reason: 'No handler was called.',
    attempt: maxAttempts,
    answer: ending,
    by: '20260102.000002',
    want: { do: 'scheduleRetry', event: { attempt: maxAttempts }, isFree: true },
  },
  'failAfterLastAttempt, of a process elsewhere that ends': {
    reason: 'Fairlead does not start it again, so it may refuse for ever.',
    attempt: maxAttempts,
    answer: ending,
    want: { do: 'fail', failure: { code: 'interrupted' } },
  },
  'failTerminally, with the code of a process that ends': {
    reason: 'A handler may choose the code.',
    answer: { ...ending, terminal: true },
    by: '20260102.000002',
    want: { do: 'fail', failure: { code: 'interrupted' } },
  },
  'failTerminally, by the version that serves': {
    reason: 'It would refuse the config again.',
    answer: misfit,
    by: '20260102.000002',
    want: { do: 'fail', failure: { code: 'invalid_config' } },
  },
  'failTerminally, by another version for another reason': {
    reason: 'The provider has decided.',
    answer: refused,
    by: '20260101.000001',
    want: { do: 'fail', failure: { code: 'NO' } },
  },
  'retryUncounted, after the end of the process': {
    reason: 'Another event in the process may have ended it.',
    attempt: maxAttempts,
    answer: broken,
    processEnd: { others: 1, isPlanned: false },
    want: { do: 'scheduleRetry', event: { attempt: maxAttempts }, isFree: true },
  },
  'retryUncounted, of a deletion after the end of the pod': {
    reason: 'The pod was removed.',
    type: 'DELETE',
    attempt: maxAttempts,
    answer: broken,
    processEnd: { others: 0, isPlanned: true },
    want: { do: 'scheduleRetry', isFree: true },
  },
  'retryUncounted, while a clock is wrong': {
    reason: 'The event is not to blame, and somebody sets the clock right.',
    attempt: maxAttempts,
    answer: skewed,
    want: {
      do: 'scheduleRetry',
      event: { attempt: maxAttempts, skewedAt: now.toISOString() },
      answer: skewed,
      isFree: true,
    },
  },
  'retryUncounted, for ten minutes from the first such answer': {
    reason: 'The time does not begin anew.',
    attempt: maxAttempts,
    skewedAt: secondsLater(-599).toISOString(),
    answer: skewed,
    want: {
      do: 'scheduleRetry',
      event: { skewedAt: secondsLater(-599).toISOString() },
      isFree: true,
    },
  },
  'retryUncounted, not at once': {
    reason: 'Uncounted attempts have no growing waits.',
    answer: { ...skewed, retryAfterMs: 1_000 },
    want: { do: 'scheduleRetry', answer: { retryAfterMs: 15_000 }, isFree: true },
  },
  'retryUncounted, of a deletion': {
    reason: 'A deletion has a dead letter, too, when its attempts are spent.',
    type: 'DELETE',
    attempt: maxAttempts,
    answer: skewed,
    want: { do: 'scheduleRetry', event: { type: 'DELETE' }, isFree: true },
  },
  'scheduleRetry, after ten minutes of clock skew': {
    reason: 'Nobody repairs the clock.',
    attempt: maxAttempts - 1,
    skewedAt: secondsLater(-600).toISOString(),
    answer: skewed,
    want: expect.not.objectContaining({ isFree: true }),
  },
  'failAfterLastAttempt, after ten minutes of clock skew': {
    reason: 'Nobody repairs the clock.',
    attempt: maxAttempts,
    skewedAt: secondsLater(-600).toISOString(),
    answer: skewed,
    want: { do: 'fail', failure: { code: 'clock_skew', reason: 'AttemptsExhausted' } },
  },
  'failTerminally, by a handler that says clock_skew': {
    reason: 'It has decided.',
    answer: { ...skewed, terminal: true },
    want: { do: 'fail', failure: { code: 'clock_skew', reason: 'ProviderFailed' } },
  },
  'retryUncounted, when the provider asks to wait': {
    reason: 'The event is not to blame.',
    attempt: maxAttempts,
    answer: limited,
    want: {
      do: 'hold',
      event: { attempt: maxAttempts, hold: { since: now.toISOString(), scope: 'Provider' } },
      answer: limited,
    },
  },
  'retryUncounted, when it asks again': {
    reason: 'The limit of the waits counts from the first.',
    answer: { ...limited, retryScope: 'resource' },
    hold: { since: secondsLater(-90).toISOString(), scope: 'Provider' },
    want: {
      do: 'hold',
      event: { hold: { since: secondsLater(-90).toISOString(), scope: 'Resource' } },
    },
  },
  'retryUncounted, when it asks to wait with a deletion': {
    reason: 'Deletions call the same cloud.',
    type: 'DELETE',
    attempt: maxAttempts,
    answer: limited,
    want: { do: 'hold', event: { type: 'DELETE' } },
  },
  'scheduleRetry, after waits that the provider asked for': {
    reason: 'The row of waits has ended.',
    answer: broken,
    hold: { since: secondsLater(-90).toISOString(), scope: 'Provider' },
    want: expect.objectContaining({
      event: expect.not.objectContaining({ hold: expect.anything() }),
    }),
  },
  failTerminally: {
    reason: 'A retry would be rejected again.',
    answer: refused,
    want: { do: 'fail', failure: { code: 'NO', reason: 'ProviderFailed' }, references: 'hash' },
  },
  failAfterLastAttempt: {
    reason: 'The policy allows no further attempt.',
    attempt: maxAttempts,
    answer: broken,
    want: { do: 'fail', failure: { code: 'HTTP_503', reason: 'AttemptsExhausted' } },
  },
  'failAfterLastAttempt, of a type with one attempt': {
    reason: 'The type allows no second attempt.',
    attempt: 1,
    retry: { attempts: 1 },
    answer: broken,
    want: { do: 'fail', failure: { code: 'HTTP_503', reason: 'AttemptsExhausted' } },
  },
  'failAfterLastAttempt, of a type whose attempts were reduced since': {
    reason: 'The present options of the type decide.',
    attempt: 5,
    retry: { attempts: 3 },
    answer: broken,
    want: { do: 'fail', failure: { reason: 'AttemptsExhausted' } },
  },
  'scheduleRetry, of a type with more attempts': {
    reason: 'The type allows more than the default.',
    attempt: maxAttempts,
    retry: { attempts: 20 },
    answer: broken,
    want: { do: 'scheduleRetry', answer: broken },
  },
  scheduleRetry: {
    reason: 'Attempts are left.',
    attempt: maxAttempts - 1,
    answer: broken,
    want: { do: 'scheduleRetry', answer: broken },
  },
  'failTerminally, on the last attempt': {
    reason: 'A terminal answer takes precedence over the number of attempts.',
    attempt: maxAttempts,
    answer: refused,
    want: { do: 'fail', failure: { reason: 'ProviderFailed' } },
  },
  recordImport: {
    reason: 'The outputs are what was observed.',
    type: 'OBSERVE',
    answer: { kind: 'observed', exists: true, config: { size: 2 }, outputs: { id: 'b-1' } },
    want: { do: 'recordImport', event: { type: 'OBSERVE' } },
  },
  failMissingImport: {
    reason: 'Nothing is created instead of what an import does not find.',
    type: 'OBSERVE',
    answer: { kind: 'observed', exists: false },
    want: { do: 'fail', failure: { code: 'NOT_FOUND', reason: 'ProviderFailed' } },
  },
  'failTerminally, of a deletion': {
    reason: 'The deletion needs intervention, and has a dead letter.',
    type: 'DELETE',
    answer: refused,
    want: { do: 'fail', event: { type: 'DELETE' } },
  },
};

it.each(Object.entries(rows))(
  '%s',
  (_rule, {
    type = 'CREATE',
    attempt = 1,
    retry,
    skewedAt,
    hold,
    answer,
    by,
    processEnd,
    want,
    reason,
  }) => {
    const metadata = type === 'DELETE' ? { metadata: deleted } : {};
    const observed = observing(
      inFlight({ type, attempt, ...(skewedAt && { skewedAt }), ...(hold && { hold }) }, metadata),
      {
        unrecorded: { answer, config, references: 'hash', providerVersion: by, processEnd },
        servedBy: { version: '20260102.000002', since: now.toISOString() },
        retry,
      },
    );
    expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
  },
);

describe('the list', () => {
  it('has a rule for every response', () => {
    const named = answerRules.map(({ name }) => name);
    expect(Object.keys(rows)).toEqual(expect.arrayContaining(named));
  });

  it('decides nothing without a response', () => {
    const situation = { ...observing(inFlight()), now, policy: defaultRetryPolicy };
    expect(answerRules.map((rule) => rule(situation))).toEqual(answerRules.map(() => undefined));
  });
});
