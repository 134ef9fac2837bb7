import { expect, it } from 'vitest';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import { createWaits } from '../../../../src/reconcilers/resource/waits.ts';
import {
  aClaim,
  inFlight,
  now,
  observing,
  readyResource,
  secondsLater,
} from '../../../support/fixtures/builders.ts';

const asked = 'The provider asked to wait until 2026-01-01T00:00:30.000Z: rate_limited: Slow down';
const limited: Parameters<typeof inFlight>[1] = {
  status: {
    reason: 'RateLimited',
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'RateLimited',
        message: asked,
        lastTransitionTime: now.toISOString(),
      },
    ],
  },
};
const heldFor = (seconds: number) =>
  ({ since: secondsLater(-seconds).toISOString(), scope: 'Resource' }) as const;

function waitsOfType(type: { operationLimitSeconds: number }) {
  const clock = { now: () => now, monotonic: () => 0 };
  const event = { acceptedAt: secondsLater(-11 * 3_600).toISOString() };
  return createWaits({ clock, policy: defaultRetryPolicy })(inFlight(event), type);
}

const vanished = {
  config: {},
  hash: undefined,
  unresolved: [
    {
      to: { provider: 'aws', resource: 'vpc', name: 'shared' },
      ...{ path: ['id'], text: `$\{aws/vpc/shared.outputs.id}`, at: ['vpc'] },
      ...{ why: 'missing' as const, offered: [] },
    },
  ],
};

const operations = {
  'waits for an output that vanished since the operation was accepted': {
    reason: 'The operation goes on, and the object of a read-only resource may be back.',
    observed: observing(
      inFlight(
        { acceptedAt: secondsLater(-3_600).toISOString(), context: { id: 7 } },
        { status: { reason: 'InProgress' } },
      ),
      { resolution: vanished, unready: [{ name: 'aws/vpc/shared', is: 'failed' }] },
    ),
    want: {
      do: 'explain',
      reason: 'DependencyFailed',
      message: 'Dependency aws/vpc/shared failed',
      until: secondsLater(3_600),
    },
  },
  'waits for an output that a ready resource lost since': {
    reason: 'It may return the output again.',
    observed: observing(inFlight({ acceptedAt: now.toISOString() }), { resolution: vanished }),
    want: {
      do: 'explain',
      reason: 'DependenciesNotReady',
      message: 'aws/vpc/shared has no output "id"; it has none',
    },
  },
  'fails with it at the limit of the operation': {
    reason: 'A wait without an end would keep the resource in flight for ever.',
    observed: observing(inFlight({ acceptedAt: secondsLater(-2 * 3_600).toISOString() }), {
      resolution: vanished,
    }),
    want: { do: 'fail', failure: { code: 'UNKNOWN_OUTPUT' } },
  },
  'fails at once when nothing was accepted': {
    reason: 'Nothing was sent that could be finished.',
    observed: observing(inFlight(), { resolution: vanished }),
    want: { do: 'fail', failure: { code: 'UNKNOWN_OUTPUT' } },
  },
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
  'keeps an operation within the limit of its type': {
    reason: 'Large things take longer than the installation expects.',
    observed: observing(
      inFlight(
        { acceptedAt: secondsLater(-11 * 3_600).toISOString() },
        { status: { reason: 'InProgress' } },
      ),
      { operationLimitSeconds: 43_200, waits: waitsOfType({ operationLimitSeconds: 43_200 }) },
    ),
    want: { do: 'send' },
  },
  'times out an operation before its next poll': {
    reason: 'A provider may ask to be polled in an hour.',
    observed: observing(
      inFlight(
        {
          acceptedAt: secondsLater(-2 * 3_600 + 60).toISOString(),
          nextAttemptAt: secondsLater(3_000).toISOString(),
        },
        { status: { reason: 'InProgress' } },
      ),
    ),
    want: { do: 'wait', until: secondsLater(60) },
  },
  'gives up waits that never end': {
    reason: 'They spend no attempt, so a time limit is needed.',
    observed: observing(inFlight({ hold: heldFor(2 * 3_600) }, limited)),
    want: {
      do: 'fail',
      failure: {
        code: 'WAIT_TIMED_OUT',
        reason: 'OperationTimedOut',
        message: `The provider asked to wait longer than the limit of 2 h. ${asked}`,
      },
    },
  },
  'waits on within the limit': {
    reason: 'The limit counts from the first of the waits.',
    observed: observing(
      inFlight(
        { hold: heldFor(2 * 3_600 - 60), nextAttemptAt: secondsLater(30).toISOString() },
        limited,
      ),
    ),
    want: { do: 'wait', until: secondsLater(30) },
  },
  'sends an event after the wait that its provider asked for': {
    reason: 'Attempt 8 of 8 is not spent.',
    observed: observing(
      inFlight({ hold: heldFor(90), attempt: 8, nextAttemptAt: now.toISOString() }, limited),
    ),
    want: { do: 'send', event: { attempt: 8 } },
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
