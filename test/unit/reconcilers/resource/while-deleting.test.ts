import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import {
  aResource,
  inFlight,
  now,
  observing,
  readyResource,
  secondsLater,
} from '../../../support/builders.ts';

const deleted = { deletionTimestamp: now.toISOString(), generation: 2 };
const outputs = { kind: 'succeeded', outputs: { url: 'x' } } as const;
const refused = { kind: 'failed', terminal: true, code: 'NO', message: 'no' } as const;
const config = { name: 'orders' };

function failedDeletion(metadata: Partial<Resource['metadata']> = {}): Resource {
  const status = { state: 'deleting', reason: 'DeleteFailed' } as const;
  return inFlight({ type: 'DELETE' }, { metadata: { ...deleted, ...metadata }, status });
}

const cases = {
  'releases at once what no provider was told about': {
    reason: 'There is nothing to tear down.',
    observed: observing(aResource({ metadata: deleted })),
    want: { do: 'release' },
  },
  'claims the deletion of what was sent': {
    reason: 'The provider may have made something, even without an answer.',
    observed: observing(inFlight({}, { metadata: deleted })),
    want: { do: 'claim', event: { type: 'DELETE', attempt: 1, generation: 2 } },
  },
  'records a success that deletion overtook': {
    reason: 'The teardown needs the outputs.',
    observed: observing(inFlight({}, { metadata: deleted }), {
      unrecorded: { answer: outputs, config },
    }),
    want: { do: 'recordSuccess' },
  },
  'forgets a failure that deletion overtook': {
    reason: 'A letter nobody can use would be buried.',
    observed: observing(inFlight({}, { metadata: deleted }), {
      unrecorded: { answer: refused, config },
    }),
    want: { do: 'claim', event: { type: 'DELETE' } },
  },
  'sends a claimed deletion': {
    reason: 'With the recorded outputs, whatever type or schema say now.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), {
      typeRegistered: false,
      unready: [{ name: 'a/b/c', is: 'missing' }],
    }),
    want: { do: 'send', event: { type: 'DELETE' } },
  },
  'deletes although paused, invalid or in a foreign name': {
    reason: 'Deletion must always end.',
    observed: observing(
      inFlight(
        { type: 'DELETE' },
        { metadata: { ...deleted, name: 'mine' }, spec: { paused: true } },
      ),
    ),
    want: { do: 'send', event: { type: 'DELETE' } },
  },
  'lets go with a receipt what failed to be deleted while its namespace goes': {
    reason: 'No dead letter can be written there, and recording the answer would fail for ever.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), {
      unrecorded: { answer: refused, config },
      terminating: true,
    }),
    want: { do: 'abandon', why: 'NamespaceDeleted' },
  },
  'lets go by force what failed to be deleted, before a letter is written': {
    reason: 'Force must also help where a letter finds no room.',
    observed: observing(inFlight({ type: 'DELETE', attempt: 5 }, { metadata: deleted }), {
      unrecorded: { answer: { ...refused, terminal: false }, config },
      forced: true,
    }),
    want: { do: 'abandon', why: 'Forced' },
  },
  'lets go an endless deletion while its namespace goes': {
    reason: 'Its dead letter could not be written either.',
    observed: observing(
      inFlight(
        { type: 'DELETE', acceptedAt: secondsLater(-3 * 3_600).toISOString() },
        { metadata: deleted, status: { reason: 'InProgress' } },
      ),
      { terminating: true },
    ),
    want: { do: 'abandon', why: 'NamespaceDeleted' },
  },
  'goes on trying to delete while its namespace goes and attempts are left': {
    reason: 'The provider may clean up yet.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), {
      unrecorded: { answer: { ...refused, terminal: false }, config },
      terminating: true,
    }),
    want: { do: 'scheduleRetry' },
  },
  'releases without a receipt what was deleted while its namespace goes': {
    reason: 'Nothing remains outside.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), {
      unrecorded: { answer: outputs, config },
      terminating: true,
      endpoint: undefined,
    }),
    want: { do: 'release' },
  },
  'holds a deletion that failed for good': {
    reason: 'Its letter waits for a person.',
    observed: observing(
      inFlight({ type: 'DELETE' }, { metadata: deleted, status: { reason: 'DeleteFailed' } }),
    ),
    want: { do: 'nothing' },
  },
  'keeps what the deletion policy says stays': {
    reason: 'Orphan means that nobody is asked.',
    observed: observing(readyResource({ metadata: deleted, spec: { deletionPolicy: 'Orphan' } })),
    want: { do: 'abandon', why: 'OrphanPolicy' },
  },
  'leaves an object to others once its finalizer is off': {
    reason: 'Somebody else may hold it with a finalizer of their own.',
    observed: observing(readyResource({ metadata: { ...deleted, finalizers: [] } })),
    want: { do: 'nothing' },
  },
  'tries a deletion that failed for good again when its letter is retried': {
    reason: 'Somebody repaired what was in the way.',
    observed: observing(failedDeletion({ annotations: { 'fairlead.dev/requeue': 'evt-1/1' } })),
    want: { do: 'claim', event: { id: 'evt-1', type: 'DELETE', attempt: 1, requeued: 1 } },
  },
  'lets the provider clean up although somebody forces': {
    reason: 'Force is for what cannot be torn down.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), { forced: true }),
    want: { do: 'send' },
  },
  'abandons by force what no provider can clean up': {
    reason: 'Deletion must always end.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), {
      forced: true,
      endpoint: undefined,
    }),
    want: { do: 'abandon', why: 'Forced' },
  },
  'abandons by force what its provider failed to clean up': {
    reason: 'The receipt says what may remain.',
    observed: observing(failedDeletion(), { forced: true }),
    want: { do: 'abandon', why: 'Forced' },
  },
  'abandons what goes with its namespace and has no provider any more': {
    reason: 'Nothing new can be made in a namespace that goes away.',
    observed: observing(readyResource({ metadata: deleted }), {
      terminating: true,
      endpoint: undefined,
    }),
    want: { do: 'abandon', why: 'NamespaceDeleted' },
  },
  'waits for users to go first': {
    reason: 'What they made was made from its outputs.',
    observed: observing(readyResource({ metadata: deleted }), { users: ['a/b/c'] }),
    want: { do: 'explain', reason: 'InUse', message: 'Used by a/b/c' },
  },
  'waits for no user when forced': {
    reason: 'Somebody said that it must go.',
    observed: observing(readyResource({ metadata: deleted }), { users: ['a/b/c'], forced: true }),
    want: { do: 'claim', event: { type: 'DELETE' } },
  },
  'waits for a provider, and looks again when the limit is over': {
    reason: 'A provider that was undeployed may come back.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), {
      endpoint: undefined,
    }),
    want: { do: 'explain', reason: 'WaitingForProvider', until: secondsLater(7_200) },
  },
  'fails a deletion that waited for a provider too long': {
    reason: 'Over HTTP only a dead letter can show it.',
    observed: observing(
      inFlight(
        { type: 'DELETE', startedAt: secondsLater(-7_201).toISOString() },
        { metadata: deleted },
      ),
      { endpoint: undefined },
    ),
    want: { do: 'fail', failure: { code: 'PROVIDER_MISSING' } },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
});
