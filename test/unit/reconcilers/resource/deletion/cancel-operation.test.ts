// A deletion that finds an operation of a type that can cancel it.
import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../../src/crds/claimed-event.ts';
import type { Resource, ResourceStatus } from '../../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../../src/domain/retry.ts';
import { decide } from '../../../../../src/reconcilers/resource/decide.ts';
import { receiptOf } from '../../../../../src/reconcilers/resource/failures/failure-record.ts';
import * as status from '../../../../../src/reconcilers/resource/status/status.ts';
import { cancellationFailed } from '../../../../../src/reconcilers/resource/status/status.ts';
import { inFlight, now, observing, secondsLater } from '../../../../support/fixtures/builders.ts';

const context = { operation: 'op-1' };
const newer = { operation: 'op-2' };
const config = { name: 'orders' };
const minutes = (count: number) => secondsLater(count * 60);
const succeeded = { answer: { kind: 'succeeded', outputs: {} }, config } as const;
const later = { answer: { kind: 'later', retryAfterMs: 5_000, context: newer }, config } as const;
const laterAlone = { answer: { kind: 'later', retryAfterMs: 5_000 }, config } as const;
const broken = {
  answer: { kind: 'failed', terminal: false, code: 'HTTP_500', message: 'no' },
  config,
} as const;
const refused = { ...broken, answer: { ...broken.answer, terminal: true } } as const;
const restarting = { ...broken, processEnd: { others: 0, isPlanned: true } } as const;

/** A CREATE that answered 202 five minutes ago, of a resource whose deletion was requested then. */
function operation(
  event: Partial<ClaimedEvent> = {},
  { deletedAt = now, ...changes }: Partial<ResourceStatus> & { deletedAt?: Date } = {},
): Resource {
  const accepted = { acceptedAt: minutes(-5).toISOString(), context, sequence: 9, ...event };
  return inFlight(accepted, {
    metadata: { deletionTimestamp: deletedAt.toISOString(), generation: 2 },
    status: { reason: 'InProgress', ...changes },
  });
}

const cancelling = (event: Partial<ClaimedEvent> = {}, changes = {}) =>
  operation({ cancellation: 'Requested', ...event }, { state: 'deleting', ...changes });

const due = { nextAttemptAt: secondsLater(30).toISOString() };
const deletion = { do: 'claim', event: { type: 'DELETE', attempt: 1, context } };
const can = { cancelsOperations: true };
const last = defaultRetryPolicy.maxAttempts;

const cases = {
  'asks the provider to end it, before its next poll': {
    reason: 'The claim is written first: a crash repeats the CANCEL.',
    observed: observing(operation({ ...due, attempt: 3 }), can),
    want: {
      do: 'claim',
      event: {
        id: 'evt-1',
        type: 'CREATE',
        attempt: 1,
        sequence: 10,
        context,
        cancellation: 'Requested',
        nextAttemptAt: now.toISOString(),
      },
    },
  },
  'asks it with the context of a 202 that was not recorded': {
    reason: 'Only this context identifies the operation.',
    observed: observing(operation({ acceptedAt: undefined }, { reason: 'Processing' }), {
      ...can,
      unrecorded: later,
    }),
    want: {
      do: 'claim',
      event: { context: newer, cancellation: 'Requested', acceptedAt: now.toISOString() },
    },
  },
  'asks it after a poll that failed, also the last one': {
    reason: 'The abort of a handler makes such a failure.',
    observed: observing(operation({ attempt: last }), { ...can, unrecorded: broken }),
    want: { do: 'claim', event: { cancellation: 'Requested', context } },
  },
  'deletes when the operation has failed terminally': {
    reason: 'Nothing is left to be cancelled.',
    observed: observing(operation(), { ...can, unrecorded: refused }),
    want: { do: 'claim', event: { type: 'DELETE' } },
  },
  'records the success of an operation that has ended': {
    reason: 'Its outputs are needed for the DELETE.',
    observed: observing(operation(), { ...can, unrecorded: succeeded }),
    want: { do: 'recordSuccess' },
  },
  'polls an operation of a type that cannot cancel it': {
    reason: 'As for every type that declares nothing.',
    observed: observing(operation()),
    want: { do: 'send', event: { type: 'CREATE' } },
  },
  'sends no CANCEL for an event that was never answered 202': {
    reason: 'There is no operation.',
    observed: observing(operation({ acceptedAt: undefined }, { reason: 'Processing' }), can),
    want: { do: 'claim', event: { type: 'DELETE' } },
  },
  'sends the CANCEL': {
    reason: 'deliver.ts makes it from the claimed event.',
    observed: observing(cancelling(), can),
    want: { do: 'send', event: { id: 'evt-1', cancellation: 'Requested' } },
  },
  'goes on when the type no longer cancels': {
    reason: 'The provider has got the CANCEL; its answer decides.',
    observed: observing(cancelling()),
    want: { do: 'send', event: { cancellation: 'Requested' } },
  },
  'deletes with the context once the operation is cancelled': {
    reason: 'The answer to a CANCEL is no success of the CREATE.',
    observed: observing(cancelling(), { ...can, unrecorded: succeeded }),
    want: deletion,
  },
  'waits for the users of the resource before it deletes': {
    reason: 'The order of deletions stays.',
    observed: observing(cancelling(), { ...can, unrecorded: succeeded, users: ['a/b/c'] }),
    want: { do: 'explain', reason: 'InUse' },
  },
  'asks again later, with the new context': {
    reason: 'The operation is ending.',
    observed: observing(cancelling(), { ...can, unrecorded: later }),
    want: { do: 'deferOperation', answer: { context: newer } },
  },
  'asks again later, with the context before': {
    reason: 'The DELETE must find the operation.',
    observed: observing(cancelling(), { ...can, unrecorded: laterAlone }),
    want: { do: 'deferOperation', answer: { context } },
  },
  'waits for that': {
    reason: 'Nothing has changed.',
    observed: observing(cancelling(due), can),
    want: { do: 'wait', until: secondsLater(30) },
  },
  'retries a CANCEL that failed': {
    reason: 'By the policy of its type.',
    observed: observing(cancelling(), { ...can, unrecorded: broken }),
    want: { do: 'scheduleRetry', event: { cancellation: 'Requested' }, answer: broken.answer },
  },
  'retries a CANCEL whose process was restarted, uncounted': {
    reason: 'It says nothing about the CANCEL.',
    observed: observing(cancelling({ attempt: last }), { ...can, unrecorded: restarting }),
    want: { do: 'scheduleRetry', isFree: true },
  },
  'polls it to its end after the last attempt': {
    reason: 'Somebody has to find out how it ends.',
    observed: observing(cancelling({ attempt: last }), { ...can, unrecorded: broken }),
    want: { do: 'giveUpCancellation', answer: broken.answer },
  },
  'polls it to its end after the last attempt that the type allows': {
    reason: 'A type may have fewer attempts than the default.',
    observed: observing(cancelling({ attempt: 2 }), {
      ...can,
      unrecorded: broken,
      retry: { attempts: 2 },
    }),
    want: { do: 'giveUpCancellation' },
  },
  'polls it to its end when the provider refuses': {
    reason: 'A retry cannot help.',
    observed: observing(cancelling(), { ...can, unrecorded: refused }),
    want: { do: 'giveUpCancellation', answer: refused.answer },
  },
  'does not ask twice': {
    reason: 'It has been refused.',
    observed: observing(operation({ cancellation: 'Failed' }), can),
    want: { do: 'send', event: { type: 'CREATE', cancellation: 'Failed' } },
  },
  'records the success of an operation that was not cancelled': {
    reason: 'As for every operation that is polled.',
    observed: observing(operation({ cancellation: 'Failed' }), { ...can, unrecorded: succeeded }),
    want: { do: 'recordSuccess' },
  },
  'deletes with the context after ten minutes': {
    reason: 'Deletion must always end.',
    observed: observing(cancelling(due, { deletedAt: minutes(-10) }), can),
    want: deletion,
  },
  'deletes with the context at once by force': {
    reason: 'Force waits for no operation, and cancels none.',
    observed: observing(operation(due), { ...can, forced: true }),
    want: deletion,
  },
  'deletes with the context by force, whatever the provider answered to the CANCEL': {
    reason: 'A refused CANCEL does not end the operation.',
    observed: observing(cancelling(), { ...can, forced: true, unrecorded: refused }),
    want: deletion,
  },
  'deletes with the context at once when the namespace terminates': {
    reason: 'Its pods are deleted as well.',
    observed: observing(operation(due), { ...can, terminating: true }),
    want: deletion,
  },
  'waits for a restarting provider, within the ten minutes': {
    reason: 'The operation continues meanwhile.',
    observed: observing(cancelling(), { ...can, endpoint: undefined }),
    want: { do: 'explain', reason: 'WaitingForProvider', until: minutes(10) },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
});

const eventOf = ({ status: present }: Resource) => present?.event as ClaimedEvent;
const ready = ({ conditions = [] }: ResourceStatus) => conditions[0]?.message;

it('says what the deletion waits for', () => {
  const resource = cancelling();
  const event = eventOf(resource);
  const asked = status.claimed(resource, event, now);
  expect(asked).toMatchObject({ state: 'deleting', reason: 'InProgress' });
  expect(ready(asked)).toBe(
    'Deletion is waiting for the provider to cancel the running CREATE operation',
  );
  const asksLater = { event, message: '40 %', context, due: secondsLater(5) };
  expect(ready(status.deferred(resource, asksLater, now))).toBe(
    'Deletion is waiting for the provider to cancel the running CREATE operation: 40 %',
  );
  const failed = { event, error: 'HTTP_500: no', due: secondsLater(5) };
  expect(ready(status.retrying(resource, failed, now))).toBe(
    'Attempt 1 to cancel the CREATE operation failed: HTTP_500: no',
  );
});

it('polls an operation that was not cancelled from attempt 1, and says so until it ends', () => {
  const resource = cancelling({ attempt: last, errors: [] });
  const polled = cancellationFailed(
    resource,
    { event: eventOf(resource), error: 'not_cancellable: too late' },
    now,
  );
  expect(polled.event).toMatchObject({ attempt: 1, sequence: 10, context, cancellation: 'Failed' });
  expect(polled.event).not.toHaveProperty('errors');
  const message =
    'Deletion is waiting for the running CREATE operation, which could not be cancelled, to finish';
  expect(ready(polled)).toBe(`${message}: not_cancellable: too late`);
  const goesOn = { event: polled.event as ClaimedEvent, message: '90 %', context, due: now };
  expect(ready(status.deferred(resource, goesOn, now))).toBe(`${message}: 90 %`);
});

it('leaves nothing of the cancellation in an event that has succeeded', () => {
  const resource = operation({ cancellation: 'Failed' });
  const success = { event: eventOf(resource), outputs: {}, config, content: 'c' };
  expect(status.succeeded(resource, success, now).event).not.toHaveProperty('cancellation');
});

it('takes the answer to a CANCEL for no outputs', async () => {
  const resource = cancelling({}, { outputs: { url: 'made' } });
  const observed = observing(resource, { unrecorded: succeeded });
  expect((await receiptOf(observed, { reason: 'Forced', now })).outputs).toEqual({ url: 'made' });
});
