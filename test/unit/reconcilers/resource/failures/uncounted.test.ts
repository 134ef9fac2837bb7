// Which refusals of a pod that has no keys of Fairlead spend an attempt. answer-rules.test.ts has the other uncounted failures.
import { expect, it } from 'vitest';
import { defaultRetryPolicy } from '../../../../../src/domain/retry.ts';
import type { Answer } from '../../../../../src/events/protocol.ts';
import { decide } from '../../../../../src/reconcilers/resource/decide.ts';
import { inFlight, now, observing } from '../../../../support/fixtures/builders.ts';

const { maxAttempts } = defaultRetryPolicy;
const version = '20260102.000002';
const failed = {
  kind: 'failed',
  terminal: false,
  code: 'keys_unavailable',
  message: 'The public keys of Fairlead are not available',
} as const satisfies Answer;
const counted = { do: 'fail', failure: { code: 'keys_unavailable' } };

it.each([
  {
    reason: 'The API may have been started again, and no handler was called.',
    age: 599,
    by: version,
    want: {
      do: 'scheduleRetry',
      event: { attempt: maxAttempts },
      answer: { retryAfterMs: 15_000 },
      isFree: true,
    },
  },
  { reason: 'After ten minutes somebody must be told.', age: 600, by: version, want: counted },
  { reason: 'Elsewhere the option `fairlead` may be wrong for ever.', age: 1, want: counted },
  {
    reason: 'A handler may choose the code.',
    age: 1,
    by: version,
    answer: { ...failed, terminal: true },
    want: counted,
  },
])('$age s after the claim: $reason', ({ reason, age, by, answer = failed, want }) => {
  const startedAt = new Date(now.getTime() - age * 1_000).toISOString();
  const config = {};
  const observed = observing(inFlight({ attempt: maxAttempts, startedAt }), {
    unrecorded: { answer, config, references: 'hash', providerVersion: by },
    servedBy: { version, since: now.toISOString() },
  });
  expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
});
