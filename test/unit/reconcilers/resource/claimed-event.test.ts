import { expect, it } from 'vitest';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import {
  aClaim,
  inFlight,
  now,
  observing,
  readyResource,
  secondsLater,
} from '../../../support/fixtures/builders.ts';

const operations = {
  'times out an operation that never ends': {
    reason: 'A 202 spends no attempt, so a time limit is needed.',
    observed: observing(
      inFlight(
        { acceptedAt: secondsLater(-2 * 3_600).toISOString() },
        { status: { reason: 'InProgress' } },
      ),
    ),
    want: { do: 'fail', failure: { code: 'OPERATION_TIMED_OUT' } },
  },
  'keeps an operation within its limit': {
    reason:
      'Two hours are allowed, from the first 202: the event may have waited for its provider before.',
    observed: observing(
      inFlight(
        {
          startedAt: secondsLater(-20 * 3_600).toISOString(),
          acceptedAt: secondsLater(-2 * 3_600 + 1).toISOString(),
        },
        { status: { reason: 'InProgress' } },
      ),
    ),
    want: { do: 'send' },
  },
  'continues an operation that 0.1.0 recorded': {
    reason: 'The time of its first 202 was not recorded; the next 202 is.',
    observed: observing(
      inFlight(
        { startedAt: secondsLater(-20 * 3_600).toISOString(), context: { step: 1 } },
        { status: { reason: 'InProgress' } },
      ),
    ),
    want: { do: 'send', event: { context: { step: 1 } } },
  },
};

it.each(Object.entries(operations))('%s', (_name, { reason, observed, want }) => {
  expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
});

const numbers = [
  {
    after: undefined,
    version: '7',
    want: 7,
    reason: 'It exceeds all sequences of earlier objects.',
  },
  { after: 7, version: '7', want: 8, reason: 'Two deliveries never share a number.' },
  { after: 20, version: '9', want: 21, reason: 'A restored etcd counts its versions again.' },
  { after: 5, version: '900', want: 900, reason: 'Versions grow with every write of anybody.' },
  { after: 5, version: 'opaque', want: 6, reason: 'Older API servers promise no number.' },
];

it.each(numbers)('numbers the delivery after $after at version $version as $want', (row) => {
  const event = aClaim(row.after === undefined ? {} : { sequence: row.after });
  const changed = readyResource({
    metadata: { resourceVersion: row.version },
    status: { content: 'older', event },
  });
  expect(decide(observing(changed), now, defaultRetryPolicy), row.reason).toMatchObject({
    do: 'claim',
    event: { sequence: row.want },
  });
});

it('starts a failed event again without what its earlier attempts have left', () => {
  const content = readyResource().status?.content ?? '';
  const skewedAt = secondsLater(-900).toISOString();
  const errors = [{ attempt: 1, error: 'X: no', failedAt: now.toISOString() }];
  const failed = readyResource({
    metadata: { annotations: { 'fairlead.dev/requeue': 'evt-1/1' } },
    status: {
      state: 'failed',
      reason: 'ProviderFailed',
      event: aClaim({ content, errors, skewedAt }),
    },
  });
  const decision = decide(observing(failed), now, defaultRetryPolicy);
  expect(decision).toMatchObject({ do: 'claim', event: { id: 'evt-1', attempt: 1, requeued: 1 } });
  expect(decision).not.toHaveProperty('event.errors');
  expect(decision, 'ten minutes of its own').not.toHaveProperty('event.skewedAt');
});
