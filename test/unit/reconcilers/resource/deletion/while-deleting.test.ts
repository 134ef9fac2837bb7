import { expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../../src/domain/retry.ts';
import { decide } from '../../../../../src/reconcilers/resource/decide.ts';
import {
  aResource,
  inFlight,
  now,
  observing,
  readyResource,
  secondsLater,
} from '../../../../support/fixtures/builders.ts';

const deleted = { deletionTimestamp: now.toISOString(), generation: 2 };
const outputs = { kind: 'succeeded', outputs: { url: 'x' } } as const;
const refused = { kind: 'failed', terminal: true, code: 'NO', message: 'no' } as const;
const config = { name: 'orders' };

function failedDeletion(metadata: Partial<Resource['metadata']> = {}): Resource {
  const status = { state: 'deleting', reason: 'DeleteFailed' } as const;
  return inFlight({ type: 'DELETE' }, { metadata: { ...deleted, ...metadata }, status });
}

const typeRetired = { version: '20260102.000002', at: '2026-01-02T00:00:00.000Z' };

const servedBy = { version: '20260102.000002', since: '2026-01-02T00:00:00.000Z' };
const unreadable = { ...refused, code: 'migration_failed', message: 'They do not fit' } as const;

/** What a version of the type has stored of a resource that is deleted. */
const ofVersion = (version: number, status: Partial<Resource['status']> = {}) => ({
  metadata: deleted,
  status: { outputs: { url: 'x' }, outputsTypeVersion: version, ...status } as never,
});

const tooOld = (version: number) =>
  inFlight({ type: 'DELETE' }, ofVersion(version, { state: 'deleting', reason: 'VersionTooOld' }));

const lastDeletion = (attempt: number) =>
  inFlight({ type: 'DELETE', attempt }, { metadata: deleted });

const cases = {
  'waits for a version that has the type': {
    reason: 'No pod that serves can clean up.',
    observed: observing(inFlight({}, { metadata: deleted }), { typeRetired }),
    want: {
      do: 'explain',
      reason: 'TypeRetired',
      message: expect.stringMatching(
        /lacks it\. The deletion waits for a version that has the type$/,
      ),
    },
  },
  'waits for it with a claimed deletion, too': {
    reason: 'The event would be refused as of an unknown type.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), { typeRetired }),
    want: { do: 'explain', reason: 'TypeRetired' },
  },
  'abandons by force a resource of a retired type': {
    reason: 'Nobody can clean up.',
    observed: observing(inFlight({}, { metadata: deleted }), { typeRetired, forced: true }),
    want: { do: 'abandon', why: 'Forced' },
  },
  'waits for a version that can read the content, instead of failing': {
    reason: 'A rollback is undone by a deploy, and the object is still to be deleted.',
    observed: observing(inFlight({ type: 'DELETE' }, ofVersion(3)), {
      typeVersion: 2,
      servedBy,
      unrecorded: { answer: unreadable, config, providerVersion: servedBy.version },
    }),
    want: {
      do: 'explain',
      reason: 'VersionTooOld',
      message: `Version 2 of type postgres/database serves, of version ${servedBy.version} of the provider, and cannot read what version 3 stored. The deletion goes on by itself once a version of the provider serves that has version 3 of the type`,
      answered: { type: 'DELETE' },
    },
  },
  'goes on to wait for it without the answer, such as after a restart': {
    reason: 'The version that serves would refuse the event again.',
    observed: observing(tooOld(3), { typeVersion: 2, servedBy }),
    want: { do: 'explain', reason: 'VersionTooOld' },
  },
  'sends the deletion to the version that can read the content': {
    reason: 'Nobody has to ask for it.',
    observed: observing(tooOld(3), { typeVersion: 3, servedBy }),
    want: { do: 'send', event: { type: 'DELETE' } },
  },
  'abandons by force what the version that serves cannot read': {
    reason: 'Nobody can clean up.',
    observed: observing(tooOld(3), { typeVersion: 2, servedBy, forced: true }),
    want: { do: 'abandon', why: 'Forced' },
  },
  'fails when the version that serves has the version of the content': {
    reason: 'Its migration is wrong, and no other version would do better.',
    observed: observing(inFlight({ type: 'DELETE' }, ofVersion(2)), {
      typeVersion: 2,
      unrecorded: { answer: unreadable, config },
    }),
    want: { do: 'fail', failure: { code: 'migration_failed' } },
  },
  'waits with an operation that the version that serves cannot read': {
    reason: 'Its context leads to the object that is being created.',
    observed: observing(
      inFlight({ acceptedAt: now.toISOString(), context: { id: 'op-1' } }, ofVersion(3)),
      { typeVersion: 2, servedBy, unrecorded: { answer: unreadable, config } },
    ),
    want: { do: 'explain', reason: 'VersionTooOld', answered: { context: { id: 'op-1' } } },
  },
  'releases at once a resource that was never sent': {
    reason: 'There is nothing to tear down.',
    observed: observing(aResource({ metadata: deleted })),
    want: { do: 'release' },
  },
  'claims the deletion of a sent resource': {
    reason: 'The provider may have created something, even without an answer.',
    observed: observing(inFlight({}, { metadata: deleted })),
    want: { do: 'claim', event: { type: 'DELETE', attempt: 1, generation: 2 } },
  },
  'records a success that deletion overtook': {
    reason: 'The deletion needs the outputs.',
    observed: observing(inFlight({}, { metadata: deleted }), {
      unrecorded: { answer: outputs, config },
    }),
    want: { do: 'recordSuccess' },
  },
  'abandons by force what no provider can clean up, before its success is recorded': {
    reason: 'The success may be impossible to write; the receipt has its outputs.',
    observed: observing(inFlight({}, { metadata: deleted }), {
      unrecorded: { answer: outputs, config },
      endpoint: undefined,
      forced: true,
    }),
    want: { do: 'abandon', why: 'Forced' },
  },
  'records a success in a forced deletion with a provider': {
    reason: 'The provider cleans up with these outputs.',
    observed: observing(inFlight({}, { metadata: deleted }), {
      unrecorded: { answer: outputs, config },
      forced: true,
    }),
    want: { do: 'recordSuccess' },
  },
  'drops a failure that deletion overtook': {
    reason: 'A dead letter would have no use.',
    observed: observing(inFlight({}, { metadata: deleted }), {
      unrecorded: { answer: refused, config },
    }),
    want: { do: 'claim', event: { type: 'DELETE' } },
  },
  'sends a claimed deletion': {
    reason: 'It is sent with the recorded outputs, regardless of the current type and schema.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), {
      typeRegistered: false,
      unready: [{ name: 'a/b/c', is: 'missing' }],
    }),
    want: { do: 'send', event: { type: 'DELETE' } },
  },
  'deletes although invalid or in a foreign name': {
    reason: 'Deletion must always end.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: { ...deleted, name: 'mine' } })),
    want: { do: 'send', event: { type: 'DELETE' } },
  },
  'does not delete what is paused': {
    reason: 'No new event begins while a resource is paused.',
    observed: observing(inFlight({}, { metadata: deleted, spec: { paused: true } })),
    want: {
      do: 'explain',
      reason: 'Paused',
      message: 'Paused: spec.paused is true; its deletion waits',
    },
  },
  'deletes by force what is paused': {
    reason: 'Whoever forces does not wait.',
    observed: observing(inFlight({}, { metadata: deleted, spec: { paused: true } }), {
      forced: true,
    }),
    want: { do: 'claim', event: { type: 'DELETE' } },
  },
  'does not delete what is protected': {
    reason: 'The admission policy may be missing, or it was protected after the request.',
    observed: observing(inFlight({}, { metadata: deleted, spec: { protected: true } })),
    want: { do: 'explain', reason: 'Protected' },
  },
  'leaves with a receipt what is protected when its namespace goes': {
    reason: 'Nobody named it, and the namespace does not wait.',
    observed: observing(inFlight({}, { metadata: deleted, spec: { protected: true } }), {
      terminating: true,
    }),
    want: { do: 'abandon', why: 'NamespaceDeleted' },
  },
  'leaves with a receipt what a request orphans': {
    reason: 'The annotation stands for the deletion policy of one request.',
    observed: observing(
      inFlight(
        {},
        { metadata: { ...deleted, annotations: { 'fairlead.dev/orphan-deletion': 'true' } } },
      ),
    ),
    want: { do: 'abandon', why: 'OrphanPolicy' },
  },
  'releases what the DELETE of a replacement has deleted': {
    reason: 'Nothing is left that a second DELETE would delete.',
    observed: observing(inFlight({ type: 'DELETE', replacement: 1 }, { metadata: deleted }), {
      unrecorded: { answer: outputs, config },
    }),
    want: { do: 'release' },
  },
  'claims a DELETE of its own while a replacement deletes': {
    reason: 'The failure of the replacement must not count as that of the deletion.',
    observed: observing(
      inFlight(
        { type: 'DELETE', replacement: 1 },
        { metadata: deleted, status: { appliedConfig: {} } },
      ),
      { unrecorded: { answer: refused, config } },
    ),
    want: { do: 'claim', event: { type: 'DELETE', generation: 2 } },
  },
  'claims a DELETE of its own after a replacement has failed': {
    reason: 'The failed event waits for a retry; the deletion must not wait with it.',
    observed: observing(
      inFlight(
        { type: 'DELETE', replacement: 1 },
        {
          metadata: deleted,
          status: { state: 'failed', reason: 'ProviderFailed', appliedConfig: {} },
        },
      ),
    ),
    want: { do: 'claim', event: { type: 'DELETE', generation: 2 } },
  },
  'releases with a receipt a failed deletion while its namespace terminates': {
    reason: 'No dead letter can be written there, and recording the answer would fail forever.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), {
      unrecorded: { answer: refused, config },
      terminating: true,
    }),
    want: { do: 'abandon', why: 'NamespaceDeleted' },
  },
  'releases by force a failed deletion, before a letter is written': {
    reason: 'Force must work even if a dead letter cannot be written.',
    observed: observing(lastDeletion(defaultRetryPolicy.maxAttempts), {
      unrecorded: { answer: { ...refused, terminal: false }, config },
      forced: true,
    }),
    want: { do: 'abandon', why: 'Forced' },
  },
  'releases by force a deletion that failed as often as its type allows': {
    reason: 'A type may have fewer attempts than the default.',
    observed: observing(lastDeletion(2), {
      unrecorded: { answer: { ...refused, terminal: false }, config },
      forced: true,
      retry: { attempts: 2 },
    }),
    want: { do: 'abandon', why: 'Forced' },
  },
  'releases an endless deletion while its namespace terminates': {
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
  'keeps retrying a deletion while its namespace terminates and attempts are left': {
    reason: 'The provider may still clean up.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), {
      unrecorded: { answer: { ...refused, terminal: false }, config },
      terminating: true,
    }),
    want: { do: 'scheduleRetry' },
  },
  'releases without a receipt what was deleted while its namespace terminates': {
    reason: 'Nothing remains outside.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), {
      unrecorded: { answer: outputs, config },
      terminating: true,
      endpoint: undefined,
    }),
    want: { do: 'release' },
  },
  'holds a deletion that failed terminally': {
    reason: 'Its dead letter needs intervention.',
    observed: observing(
      inFlight({ type: 'DELETE' }, { metadata: deleted, status: { reason: 'DeleteFailed' } }),
    ),
    want: { do: 'nothing' },
  },
  'keeps what the deletion policy retains': {
    reason: 'With Orphan, the provider is not called.',
    observed: observing(readyResource({ metadata: deleted, spec: { deletionPolicy: 'Orphan' } })),
    want: { do: 'abandon', why: 'OrphanPolicy' },
  },
  'ignores an object without its finalizer': {
    reason: 'Another finalizer may keep it.',
    observed: observing(readyResource({ metadata: { ...deleted, finalizers: [] } })),
    want: { do: 'nothing' },
  },
  'retries a terminally failed deletion when its letter is retried': {
    reason: 'The cause was resolved.',
    observed: observing(failedDeletion({ annotations: { 'fairlead.dev/requeue': 'evt-1/1' } })),
    want: { do: 'claim', event: { id: 'evt-1', type: 'DELETE', attempt: 1, requeued: 1 } },
  },
  'lets the provider clean up on a forced deletion too': {
    reason: 'Force abandons only what cannot be cleaned up.',
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
    reason: 'The receipt records what may remain.',
    observed: observing(failedDeletion(), { forced: true }),
    want: { do: 'abandon', why: 'Forced' },
  },
  'abandons a resource without a provider while its namespace terminates': {
    reason: 'No provider pod can start in a terminating namespace.',
    observed: observing(readyResource({ metadata: deleted }), {
      terminating: true,
      endpoint: undefined,
    }),
    want: { do: 'abandon', why: 'NamespaceDeleted' },
  },
  'waits for the deletion of dependents': {
    reason: 'They were created from its outputs.',
    observed: observing(readyResource({ metadata: deleted }), { users: ['a/b/c'] }),
    want: { do: 'explain', reason: 'InUse', message: 'Used by a/b/c' },
  },
  'does not wait for dependents when forced': {
    reason: 'Force overrides dependents.',
    observed: observing(readyResource({ metadata: deleted }), { users: ['a/b/c'], forced: true }),
    want: { do: 'claim', event: { type: 'DELETE' } },
  },
  'waits for a provider, and checks again at the time limit': {
    reason: 'An undeployed provider may be deployed again.',
    observed: observing(inFlight({ type: 'DELETE' }, { metadata: deleted }), {
      endpoint: undefined,
    }),
    want: { do: 'explain', reason: 'WaitingForProvider', until: secondsLater(7_200) },
  },
  'fails a deletion that waited for a provider too long': {
    reason: 'Over HTTP, only a dead letter shows the failure.',
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
