import { expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import type { Observed } from '../../../../src/reconcilers/resource/observe.ts';
import { now, observing, secondsLater } from '../../../support/fixtures/builders.ts';
import {
  betweenObjects,
  creatingNew,
  deletingOld,
  failedFor,
  newConfig,
  oldConfig,
  requested,
} from '../../../support/fixtures/replacements.ts';

const zone = { changedImmutables: [['zone']] };
const resolution = { config: newConfig, hash: 'new', unresolved: [] };
const context = { operation: 'op-1' };
const failed = failedFor('ProviderFailed');
const asked = (mark: string): Partial<Resource['metadata']> => ({
  annotations: { 'fairlead.dev/requeue': mark },
});
const answer = (given: object) =>
  ({ unrecorded: { answer: given, config: oldConfig } }) as Partial<Observed>;
const success = answer({ kind: 'succeeded', outputs: {} });
const later = answer({ kind: 'later', retryAfterMs: 5_000, context });
const refusal = answer({ kind: 'failed', terminal: true, code: 'NO', message: 'no' });
const trouble = answer({ kind: 'failed', terminal: false, code: 'NO', message: 'no' });

interface Case {
  readonly reason: string;
  readonly resource: Resource;
  readonly observed?: Partial<Observed>;
  readonly want: object;
}

const claimsDelete = (event: object = {}) => ({ do: 'claim', event: { type: 'DELETE', ...event } });

const before: Readonly<Record<string, Case>> = {
  'claims the DELETE of the old object first': {
    reason: 'The names and addresses of the old one are free only then.',
    resource: requested(),
    observed: zone,
    want: claimsDelete({ replacement: 1, generation: 2, attempt: 1, sequence: 7 }),
  },
  'claims it without any change of the config': {
    reason: 'kubectl may raise the counter alone.',
    resource: requested({ spec: { config: oldConfig } }),
    want: claimsDelete({ replacement: 1 }),
  },
  'claims it after a failed change, too': {
    reason: 'A replacement is a way out of it.',
    resource: requested({ status: failed }),
    observed: zone,
    want: claimsDelete({ replacement: 1 }),
  },
  'gives the DELETE the context of a change that did not end': {
    reason: 'Nothing else names what that operation was making.',
    resource: requested({
      status: {
        ...failed,
        event: { ...deletingOld().status?.event, type: 'UPDATE', context } as never,
      },
    }),
    want: claimsDelete({ replacement: 1, context }),
  },
  'claims it rather than the retry of the event that failed before': {
    reason: 'The request is newer than the event, and a retry would use it up.',
    resource: requested({
      spec: { config: oldConfig },
      metadata: asked('evt-1/1'),
      status: failed,
    }),
    want: claimsDelete({ replacement: 1 }),
  },
  'replaces nothing that never succeeded': {
    reason: 'There is no old object.',
    resource: requested({ status: { ...failed, appliedConfig: undefined, content: 'older' } }),
    want: { do: 'claim', event: expect.not.objectContaining({ replacement: 1 }) },
  },
  'replaces nothing twice for one number': {
    reason: 'The number was used.',
    resource: requested({ spec: { config: oldConfig }, status: { replaced: 1 } }),
    want: { do: 'explain', reason: 'Processed' },
  },
  'replaces nothing for a number that kubectl removed and sets again': {
    reason: 'A counter is only raised, and this one was at 2.',
    resource: requested({ spec: { config: oldConfig, replace: 2 }, status: { replaced: 2 } }),
    want: { do: 'explain' },
  },
  'replaces nothing of a draft': {
    reason: 'Drafts are stored only.',
    resource: requested({ spec: { lifecycle: 'Draft' } }),
    want: { do: 'explain', reason: 'Draft' },
  },
  'waits for the dependencies of the new config': {
    reason: 'The old object stays until the new one can be made.',
    resource: requested(),
    observed: { ...zone, unready: [{ name: 'a/b/c', is: 'coming' }] },
    want: { do: 'explain', reason: 'DependenciesNotReady' },
  },
  'does not wait for what is to be replaced, too': {
    reason: 'That waits for the old object of this one to go.',
    resource: requested(),
    observed: { ...zone, unready: [{ name: 'a/b/c', is: 'coming', isToReplace: true }] },
    want: claimsDelete({ replacement: 1 }),
  },
  'waits for a provider': {
    reason: 'Nobody can delete.',
    resource: requested(),
    observed: { ...zone, endpoint: undefined },
    want: { do: 'explain', reason: 'WaitingForProvider' },
  },
  'waits while paused': {
    reason: 'No event begins.',
    resource: requested({ spec: { paused: true } }),
    observed: zone,
    want: { do: 'explain', reason: 'Paused' },
  },
  'waits while protected': {
    reason: 'It may be protected after the counter was raised.',
    resource: requested({ spec: { protected: true } }),
    observed: zone,
    want: { do: 'explain', reason: 'Protected' },
  },
  'waits for the resources that use it': {
    reason: 'They would use something that is gone.',
    resource: requested(),
    observed: { ...zone, users: ['a/b/user'] },
    want: {
      do: 'explain',
      reason: 'InUse',
      message: 'Its replacement waits: it is used by a/b/user',
    },
  },
};

const deleting: Readonly<Record<string, Case>> = {
  'sends the DELETE again after a crash': {
    reason: 'The claim survives, and deleting twice is harmless.',
    resource: deletingOld(),
    observed: zone,
    want: { do: 'send', event: { id: 'evt-old' } },
  },
  'claims the CREATE with the success of the DELETE': {
    reason: 'Nothing else is to be waited for.',
    resource: deletingOld(),
    observed: { ...zone, ...success },
    want: {
      do: 'createAnew',
      event: { type: 'CREATE', replacement: 1, attempt: 1, sequence: 7 },
      deleted: { id: 'evt-old' },
    },
  },
  'waits for what the new object uses': {
    reason: 'It is replaced, too, and its old outputs are no use.',
    resource: deletingOld(),
    observed: {
      ...zone,
      ...success,
      unready: [{ name: 'a/b/c', is: 'coming', isToReplace: true }],
    },
    want: { do: 'forgetOld', deleted: { id: 'evt-old' }, reason: 'DependenciesNotReady' },
  },
  'claims the CREATE also when it was paused or protected meanwhile': {
    reason: 'What is deleted already is recorded.',
    resource: deletingOld({ spec: { paused: true, protected: true } }),
    observed: success,
    want: { do: 'createAnew' },
  },
  'polls a DELETE that takes long': {
    reason: 'It is an operation like any other.',
    resource: deletingOld(),
    observed: later,
    want: { do: 'deferOperation', event: { id: 'evt-old' } },
  },
  'fails a DELETE that is refused': {
    reason: 'The old object remains.',
    resource: deletingOld(),
    observed: refusal,
    want: { do: 'fail', event: { id: 'evt-old' }, failure: { reason: 'ProviderFailed' } },
  },
  'tries a DELETE again that failed': {
    reason: 'It may succeed.',
    resource: deletingOld(),
    observed: trouble,
    want: { do: 'scheduleRetry', event: { id: 'evt-old' } },
  },
  'fails before the DELETE is sent when the new config does not fit': {
    reason: 'The old object would be gone for nothing.',
    resource: deletingOld(),
    observed: { ...zone, violations: [{ loc: ['zone'], msg: 'too long', type: 'value_error' }] },
    want: { do: 'fail', event: { type: 'DELETE' }, failure: { code: 'INVALID_CONFIG' } },
  },
  'fails before the DELETE is sent when a reference has no value': {
    reason: 'The new object could not be made.',
    resource: deletingOld(),
    observed: {
      resolution: {
        ...resolution,
        unresolved: [
          {
            to: { provider: 'a', resource: 'b', name: 'c' },
            path: ['id'],
            text: 't',
            why: 'missing',
            offered: [],
            at: ['zone'],
          },
        ],
      },
    },
    want: { do: 'fail', failure: { code: 'UNKNOWN_OUTPUT' } },
  },
  'holds the next attempt of the DELETE while protected': {
    reason: 'Whoever protects it wants what is left of it.',
    resource: deletingOld({ spec: { protected: true }, event: { attempt: 2 } }),
    want: { do: 'explain', reason: 'Protected' },
  },
  'goes on while paused': {
    reason: 'What is in flight ends.',
    resource: deletingOld({ spec: { paused: true } }),
    want: { do: 'send', event: { id: 'evt-old' } },
  },
  'waits for a provider that is gone': {
    reason: 'It is no failure.',
    resource: deletingOld(),
    observed: { endpoint: undefined },
    want: { do: 'explain', reason: 'WaitingForProvider' },
  },
  'waits out the backoff of the DELETE': {
    reason: 'It is an attempt like any other.',
    resource: deletingOld({ event: { nextAttemptAt: secondsLater(9).toISOString() } }),
    want: { do: 'wait' },
  },
};

const usedIsReady = { unready: [] };
const between: Readonly<Record<string, Case>> = {
  'waits on while what it uses is not ready': {
    reason: 'The new object is made from new outputs.',
    resource: betweenObjects(),
    observed: { unready: [{ name: 'a/b/c', is: 'coming' }] },
    want: { do: 'explain', reason: 'DependenciesNotReady' },
  },
  'claims the CREATE once what it uses is ready': {
    reason: 'It has the number of the replacement.',
    resource: betweenObjects(),
    observed: usedIsReady,
    want: { do: 'claim', event: { type: 'CREATE', replacement: 1, attempt: 1 } },
  },
  'claims no import': {
    reason: 'The object that was imported is deleted.',
    resource: betweenObjects({ spec: { adopt: { id: 'old' } } }),
    observed: usedIsReady,
    want: { do: 'claim', event: { type: 'CREATE' } },
  },
  'is removed without an event': {
    reason: 'The provider has deleted its object.',
    resource: betweenObjects({ metadata: { deletionTimestamp: now.toISOString() } }),
    want: { do: 'release' },
  },
};

const creating: Readonly<Record<string, Case>> = {
  'sends the CREATE again after a crash': {
    reason: 'The claim survives.',
    resource: creatingNew(),
    want: { do: 'send', event: { id: 'evt-new' } },
  },
  'records the success of the CREATE': {
    reason: 'The new object is there.',
    resource: creatingNew(),
    observed: success,
    want: { do: 'recordSuccess', event: { id: 'evt-new' } },
  },
  'goes on while paused between the two': {
    reason: 'A replacement ends as a whole: the old object is gone already.',
    resource: creatingNew({ spec: { paused: true } }),
    want: { do: 'send', event: { id: 'evt-new' } },
  },
  'sends the CREATE of one that was protected between the two': {
    reason: 'Nothing is left to protect but the new object.',
    resource: creatingNew({ spec: { protected: true } }),
    want: { do: 'send', event: { id: 'evt-new' } },
  },
  'fails when a version that lacks its type took over between the two': {
    reason: 'Nobody can make it.',
    resource: creatingNew(),
    observed: { typeRetired: { version: '20260102.000002', at: now.toISOString() } },
    want: { do: 'fail', failure: { code: 'TYPE_RETIRED' } },
  },
  'fails when another schema was registered between the two': {
    reason: 'Each event is judged before it is first sent.',
    resource: creatingNew(),
    observed: { violations: [{ loc: ['zone'], msg: 'no', type: 'value_error' }] },
    want: { do: 'fail', failure: { code: 'INVALID_CONFIG' }, event: { type: 'CREATE' } },
  },
};

const tables = {
  'a requested replacement': before,
  'a replacement whose old object is being deleted': deleting,
  'a replacement between its objects': between,
  'a replacement whose new object is being made': creating,
};

for (const [name, cases] of Object.entries(tables)) {
  it.each(Object.entries(cases))(`${name} %s`, (_name, { reason, resource, observed, want }) => {
    const decision = decide(observing(resource, observed), now, defaultRetryPolicy);
    expect(decision, reason).toMatchObject(want);
  });
}
