import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../../src/crds/claimed-event.ts';
import { Reason } from '../../../../../src/crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../../../src/crds/resource.ts';
import { resolveReferences } from '../../../../../src/domain/references/references.ts';
import { defaultRetryPolicy } from '../../../../../src/domain/retry.ts';
import { decide } from '../../../../../src/reconcilers/resource/decide.ts';
import * as status from '../../../../../src/reconcilers/resource/status/status.ts';
import {
  aClaim,
  inFlight,
  now,
  observing,
  secondsLater,
} from '../../../../support/fixtures/builders.ts';

const context = { operation: 'op-1' };
const config = { name: 'orders' };
const minutes = (count: number) => secondsLater(count * 60);
const later = { kind: 'later', retryAfterMs: 5_000, context } as const;
const broken = { kind: 'failed', terminal: false, code: 'HTTP_500', message: 'no' } as const;
const refused = { ...broken, terminal: true } as const;

/** A CREATE that answered 202 five minutes ago, of a resource whose deletion was requested then. */
function operation(
  event: Partial<ClaimedEvent> = {},
  { deletedAt = now, ...changes }: Partial<ResourceStatus> & { deletedAt?: Date } = {},
): Resource {
  const accepted = { acceptedAt: minutes(-5).toISOString(), context, sequence: 7, ...event };
  return inFlight(accepted, {
    metadata: { deletionTimestamp: deletedAt.toISOString(), generation: 2 },
    status: { reason: 'InProgress', ...changes },
  });
}

const due = { nextAttemptAt: secondsLater(30).toISOString() };
const deletion = { do: 'claim', event: { type: 'DELETE', attempt: 1, context } };

const cases = {
  'polls an operation under its own event and context': {
    reason: 'A concurrent DELETE could not find what is being created.',
    observed: observing(operation()),
    want: { do: 'send', event: { id: 'evt-1', type: 'CREATE', context } },
  },
  'waits for the next poll, with a message': {
    reason: 'kubectl shows what the deletion waits for.',
    observed: observing(operation(due)),
    want: {
      do: 'explain',
      reason: 'InProgress',
      message:
        'Deletion is waiting until 2026-01-01T00:10:00.000Z for the running CREATE operation to finish',
      until: secondsLater(30),
    },
  },
  'writes nothing for it once a poll has recorded it': {
    reason: 'Nothing has changed.',
    observed: observing(operation(due, { state: 'deleting' })),
    want: { do: 'wait', until: secondsLater(30) },
  },
  'waits for a poll no longer than the deletion waits': {
    reason: 'The limit of ten minutes overrides the delay of the provider.',
    observed: observing(operation(due, { state: 'deleting', deletedAt: secondsLater(-590) })),
    want: { do: 'wait', until: secondsLater(10) },
  },
  'records a first 202 that deletion overtook': {
    reason: 'The operation has begun.',
    observed: observing(operation({ acceptedAt: undefined }, { reason: 'Processing' }), {
      unrecorded: { answer: later, config },
    }),
    want: { do: 'deferOperation', answer: later },
  },
  'retries a failed poll': {
    reason: 'The state of the operation is unknown.',
    observed: observing(operation(), { unrecorded: { answer: broken, config } }),
    want: { do: 'scheduleRetry' },
  },
  'deletes with the context when the last attempt of a poll failed': {
    reason: 'A dead letter of the superseded event has no use.',
    observed: observing(operation({ attempt: defaultRetryPolicy.maxAttempts }), {
      unrecorded: { answer: broken, config },
    }),
    want: deletion,
  },
  'deletes with the context when the last attempt that the type allows failed': {
    reason: 'A type may have fewer attempts than the default.',
    observed: observing(operation({ attempt: 2 }), {
      unrecorded: { answer: broken, config },
      retry: { attempts: 2 },
    }),
    want: deletion,
  },
  'deletes when the operation failed terminally': {
    reason: 'The operation has ended.',
    observed: observing(operation(), { unrecorded: { answer: refused, config } }),
    want: { do: 'claim', event: expect.not.objectContaining({ context }) },
  },
  'deletes with the context after ten minutes': {
    reason: 'Deletion must always end.',
    observed: observing(operation({}, { deletedAt: minutes(-10) })),
    want: deletion,
  },
  'deletes with the context when the operation has had its two hours': {
    reason: 'The limit of an operation applies here, too.',
    observed: observing(operation({ acceptedAt: minutes(-120).toISOString() })),
    want: deletion,
  },
  'deletes with the context at once by force': {
    reason: 'Force waits for the delivery in flight and no longer.',
    observed: observing(operation(due), { forced: true }),
    want: deletion,
  },
  'deletes by force with the context of a 202 that was not recorded': {
    reason: 'The delivery in flight ended with it.',
    observed: observing(inFlight({}, { metadata: { deletionTimestamp: now.toISOString() } }), {
      forced: true,
      unrecorded: { answer: later, config },
    }),
    want: deletion,
  },
  'deletes with the context at once when the namespace terminates': {
    reason: 'Its pods are deleted as well.',
    observed: observing(operation(due), { terminating: true }),
    want: deletion,
  },
  'deletes with the context when a dependency is gone': {
    reason: 'The original config cannot be resolved.',
    observed: observing(operation(), {
      resolution: {
        config,
        hash: undefined,
        unresolved: resolveReferences({ host: `\${a/b/c.outputs.host}` }, () => undefined)
          .unresolved,
      },
    }),
    want: deletion,
  },
  'waits for a restarting provider, within the ten minutes': {
    reason: 'The operation continues meanwhile.',
    observed: observing(operation(), { endpoint: undefined }),
    want: { do: 'explain', reason: 'WaitingForProvider', until: minutes(10) },
  },
  'applies the rules of every deletion to a missing provider after that': {
    reason: 'They end the deletion.',
    observed: observing(operation({}, { deletedAt: minutes(-10) }), { endpoint: undefined }),
    want: deletion,
  },
  'abandons by force after one request to the provider to clean up': {
    reason: 'Force does not wait for a backoff or a 202.',
    observed: observing(operation({ ...due, type: 'DELETE' }), { forced: true }),
    want: { do: 'abandon', why: 'Forced' },
  },
  'passes the context on when a letter of the deletion is retried': {
    reason: 'Only the context identifies the earlier operation.',
    observed: observing(
      inFlight(
        { type: 'DELETE', context },
        {
          metadata: {
            deletionTimestamp: now.toISOString(),
            annotations: { 'fairlead.dev/requeue': 'evt-1/1' },
          },
          status: { state: 'deleting', reason: 'DeleteFailed' },
        },
      ),
    ),
    want: { do: 'claim', event: { type: 'DELETE', requeued: 1, context } },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
});

it('states with every 202 that the deletion waits', () => {
  const deleting = operation();
  const maskedFailure = { event: aClaim(), message: '40 %', context, due: secondsLater(5) };
  expect(status.deferred(deleting, maskedFailure, now)).toMatchObject({
    state: 'deleting',
    reason: 'InProgress',
    conditions: [
      { message: 'Deletion is waiting for the running CREATE operation to finish: 40 %' },
      {},
    ],
  });
});

const accepted = { acceptedAt: now.toISOString(), context };
const failures = [
  { event: accepted, reason: Reason.OperationTimedOut, want: context, why: 'It did not end.' },
  { event: accepted, reason: Reason.AttemptsExhausted, want: context, why: 'Nobody knows.' },
  {
    event: accepted,
    reason: Reason.ProviderFailed,
    want: undefined,
    why: 'The operation has ended.',
  },
];

it.each(failures)('keeps the context of an operation for its deletion: $reason', (row) => {
  const failed = { event: aClaim(row.event), error: 'X', reason: row.reason };
  const { event } = status.failed(inFlight(), failed, now);
  expect(event?.context, row.why).toEqual(row.want);
  expect(event).not.toHaveProperty('acceptedAt');
});
