import { expect, it } from 'vitest';
import type { ClaimedEvent } from '../../../../src/crds/claimed-event.ts';
import { conditions } from '../../../../src/crds/conditions.ts';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import {
  aClaim,
  aResource,
  aStatus,
  contentOfResource,
  inFlight,
  now,
  observing,
  readyResource,
  secondsLater,
} from '../../../support/fixtures/builders.ts';

const outputs = { kind: 'succeeded', outputs: { url: 'x' } } as const;
const config = { name: 'orders' };
const marked = (count: number) => ({ 'fairlead.dev/requeue': `evt-1/${count}` });
const coming = [{ name: 'a/b/c', is: 'coming' }] as const;

function failedResource(
  metadata: Partial<Resource['metadata']>,
  event: Partial<ClaimedEvent> = {},
  content?: string,
): Resource {
  const held = content ?? contentOfResource(aResource());
  const status = { state: 'failed', reason: 'AttemptsExhausted', content: held } as const;
  return readyResource({ metadata, status: { ...status, event: aClaim(event) } });
}

function dismissedFailure(type: 'DeadLettered' | 'Stalled'): Resource {
  const resource = failedResource({ annotations: { 'fairlead.dev/dismissed': 'evt-1/0' } });
  const wanted = { type, status: 'True', reason: 'AttemptsExhausted', message: 'no' } as const;
  const stamped = conditions([wanted], { previous: [], generation: 1, now });
  return { ...resource, status: aStatus({ ...resource.status, conditions: stamped }) };
}

const cases = {
  'explains a draft and sends nothing': {
    reason: 'Drafts are stored only.',
    observed: observing(aResource({ spec: { lifecycle: 'Draft' } })),
    want: { do: 'explain', reason: 'Draft' },
  },
  'claims a new resource as CREATE': {
    reason: 'Nothing exists yet.',
    observed: observing(aResource()),
    want: { do: 'claim', event: { type: 'CREATE', attempt: 1, sequence: 7, generation: 1 } },
  },
  'adds the finalizer to a resource of kubectl before a claim': {
    reason: 'A deletion between claim and finalizer would leave an orphan.',
    observed: observing(aResource({ metadata: { finalizers: [] } })),
    want: { do: 'protect' },
  },
  'adds the finalizer again after kubectl removed it': {
    reason: 'Its deletion would not reach the provider.',
    observed: observing(readyResource({ metadata: { finalizers: ['example.org/theirs'] } })),
    want: { do: 'protect' },
  },
  'claims changed content of a ready resource as UPDATE': {
    reason: 'Something exists that must change.',
    observed: observing({
      ...readyResource(),
      spec: aResource({ spec: { config: { name: 'b' } } }).spec,
    }),
    want: { do: 'claim', event: { type: 'UPDATE' } },
  },
  'claims again what failed before its first success as CREATE': {
    reason: 'Only a success makes the next event an UPDATE.',
    observed: observing(
      aResource({
        spec: { retry: 1 },
        status: { state: 'failed', reason: 'ProviderFailed', content: 'older', event: aClaim() },
      }),
    ),
    want: { do: 'claim', event: { type: 'CREATE' } },
  },
  'does nothing for a ready resource': {
    reason: 'An idle resource is not written.',
    observed: observing(readyResource()),
    want: { do: 'nothing' },
  },
  'does nothing for a failed resource until its content changes': {
    reason: 'The dead letter needs intervention.',
    observed: observing(readyResource({ status: { state: 'failed', reason: 'ProviderFailed' } })),
    want: { do: 'nothing' },
  },
  'removes the condition of a failure whose letter was deleted': {
    reason: 'DeadLettered means that a dead letter exists.',
    observed: observing(dismissedFailure('DeadLettered')),
    want: { do: 'explain', reason: 'AttemptsExhausted' },
  },
  'writes nothing about it a second time': {
    reason: 'An idle resource is not written.',
    observed: observing(dismissedFailure('Stalled')),
    want: { do: 'nothing' },
  },
  'records a changed tag without an event': {
    reason: 'kstatus compares generations; events have no tags.',
    observed: observing(readyResource({ metadata: { generation: 2 }, spec: { tags: ['blue'] } })),
    want: { do: 'explain', reason: 'Processed' },
  },
  'makes a waiting resource ready again when its old content is restored': {
    reason: 'kubectl can revert a change that was never sent.',
    observed: observing(
      readyResource({ status: { state: 'pending', reason: 'WaitingForProvider' } }),
    ),
    want: { do: 'claim', event: { type: 'UPDATE' } },
  },
  'waits for a provider without spending an attempt': {
    reason: 'A missing provider is not a failure.',
    observed: observing(aResource(), { endpoint: undefined }),
    want: { do: 'explain', reason: 'WaitingForProvider' },
  },
  'waits for dependencies by name': {
    reason: 'Their outputs do not exist yet.',
    observed: observing(aResource(), {
      unready: [{ name: 'postgres/role/app', is: 'coming' }],
    }),
    want: {
      do: 'explain',
      reason: 'DependenciesNotReady',
      message: 'Waiting for dependency postgres/role/app to become ready',
    },
  },
  'waits for the type of a resource made with kubectl': {
    reason: 'HTTP rejects it; the API server cannot.',
    observed: observing(aResource(), { typeRegistered: false }),
    want: { do: 'explain', reason: 'TypeNotRegistered' },
  },
  'fails a claimed event whose config violates the schema, before it is first sent': {
    reason: 'A retry cannot succeed, and a resource that is not failed could not be changed.',
    observed: observing(inFlight(), {
      violations: [{ loc: ['limit'], msg: 'Input should be a valid integer', type: 'int_type' }],
    }),
    want: {
      do: 'fail',
      failure: {
        code: 'INVALID_CONFIG',
        message: 'config.limit: Input should be a valid integer',
      },
    },
  },
  'stalls on a name that HTTP cannot address': {
    reason: 'HTTP finds a resource by its object name.',
    observed: observing(aResource({ metadata: { name: 'mine' } })),
    want: { do: 'explain', reason: 'InvalidName', stalled: true },
  },
  'sends nothing to a provider without room for its response': {
    reason: 'Outputs would be stored, and the organization has already reached its limit.',
    observed: observing(aResource(), { full: '128Mi' }),
    want: { do: 'explain', reason: 'QuotaExceeded', until: new Date(now.getTime() + 30_000) },
  },
  'sends nothing to a provider for a suspended organization': {
    reason: 'Suspension takes effect in every state of a resource.',
    observed: observing(aResource(), { suspended: true }),
    want: { do: 'explain', reason: 'Suspended' },
  },
  'ignores a namespace without an organization': {
    reason: 'Events require an organization.',
    observed: observing(aResource(), { organizationId: undefined }),
    want: { do: 'explain', reason: 'NoOrganization' },
  },
  'claims nothing while paused': {
    reason: 'An administrator paused it.',
    observed: observing(aResource({ spec: { paused: true } })),
    want: { do: 'explain', reason: 'Paused' },
  },
  'sends a claimed event again after a restart': {
    reason: 'The claim survives a crash; the same id makes the second delivery harmless.',
    observed: observing(inFlight({ id: 'evt-9', attempt: 2 })),
    want: { do: 'send', event: { id: 'evt-9', attempt: 2 }, endpoint: 'http://127.0.0.1:8080' },
  },
  'waits out the backoff': {
    reason: 'An unavailable provider must not be overloaded.',
    observed: observing(inFlight({ attempt: 3, nextAttemptAt: secondsLater(30).toISOString() })),
    want: { do: 'wait', until: secondsLater(30) },
  },
  'sends when the backoff is over': {
    reason: 'The time is a lower bound.',
    observed: observing(inFlight({ attempt: 3, nextAttemptAt: now.toISOString() })),
    want: { do: 'send', event: { attempt: 3 } },
  },
  'waits in flight when the provider is unavailable': {
    reason: 'Only an answer or a refused connection spends an attempt.',
    observed: observing(inFlight(), { endpoint: undefined }),
    want: { do: 'explain', reason: 'WaitingForProvider' },
  },
  'records a received response before the next attempt': {
    reason: 'The write failed with a conflict; the work was done.',
    observed: observing(inFlight(), { unrecorded: { answer: outputs, config } }),
    want: { do: 'recordSuccess', unrecorded: { answer: outputs } },
  },
  'supersedes a waiting event by content that kubectl changed': {
    reason: 'The older content is obsolete.',
    observed: observing(
      inFlight({ content: 'older', generation: 1 }, { metadata: { generation: 2 } }),
    ),
    want: { do: 'claim', event: { type: 'CREATE', generation: 2 } },
  },
  'records a received response before it supersedes': {
    reason: 'Later events need the current outputs.',
    observed: observing(inFlight({ content: 'older' }), {
      unrecorded: { answer: outputs, config },
    }),
    want: { do: 'recordSuccess' },
  },
  'claims a failed event again under its own id when a letter is retried': {
    reason: 'For the provider it is another attempt of the same event.',
    observed: observing(failedResource({ annotations: marked(1) })),
    want: { do: 'claim', event: { id: 'evt-1', attempt: 1, sequence: 7, requeued: 1 } },
  },
  'waits for a provider before it claims a failed event again': {
    reason: 'A missing provider is not a failure.',
    observed: observing(failedResource({ annotations: marked(1) }), { endpoint: undefined }),
    want: { do: 'explain', reason: 'WaitingForProvider' },
  },
  'claims it again for the second retry, and again with the next number': {
    reason: 'Each mark requests one retry.',
    observed: observing(failedResource({ annotations: marked(2) }, { requeued: 1 })),
    want: { do: 'claim', event: { id: 'evt-1', requeued: 2 } },
  },
  'ignores an already applied mark': {
    reason: 'The mark stays; the event that failed again does not.',
    observed: observing(failedResource({ annotations: marked(1) }, { requeued: 1 })),
    want: { do: 'nothing' },
  },
  'ignores the mark of an event that is not the last one': {
    reason: 'The resource has a newer event.',
    observed: observing(failedResource({ annotations: { 'fairlead.dev/requeue': 'evt-0/1' } })),
    want: { do: 'nothing' },
  },
  'claims new content rather than the event that failed with the old': {
    reason: 'The old content is obsolete.',
    observed: observing(
      failedResource({ annotations: marked(1), generation: 2 }, { content: 'older' }, 'older'),
    ),
    want: { do: 'claim', event: { generation: 2, attempt: 1 } },
  },
  'stalls on a cycle of dependencies, and prints it': {
    reason: 'None of them can be processed first.',
    observed: observing(aResource(), { unready: coming, cycle: ['a/b/c', 'd/e/f', 'a/b/c'] }),
    want: {
      do: 'explain',
      reason: 'DependencyCycle',
      stalled: true,
      message: 'The dependencies form a cycle: a/b/c → d/e/f → a/b/c',
    },
  },
  'runs a ready resource again when an output it uses has changed': {
    reason: 'A new generation makes a new event id.',
    observed: observing(readyResource({ status: { references: 'old' } }), {
      resolution: { config, hash: 'new', unresolved: [] },
    }),
    want: { do: 'runAgain' },
  },
  'runs a failed resource again when an output it uses has changed': {
    reason: 'The output may have caused the failure.',
    observed: observing(failedResource({}), {
      resolution: { config, hash: 'new', unresolved: [] },
    }),
    want: { do: 'runAgain' },
  },
  'leaves a ready resource alone while what it uses is not ready': {
    reason: 'The output is about to change.',
    observed: observing(readyResource({ status: { references: 'old' } }), {
      resolution: { config, hash: 'new', unresolved: [] },
      unready: coming,
    }),
    want: { do: 'nothing' },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  expect(decide(observed, now, defaultRetryPolicy), reason).toMatchObject(want);
});

it('gives an event the same id on each claim', () => {
  const first = decide(observing(aResource()), now, defaultRetryPolicy);
  const later = decide(observing(aResource()), secondsLater(60), defaultRetryPolicy);
  if (first.do !== 'claim' || later.do !== 'claim') throw new Error('both must claim');
  expect(first.event.id, 'The id is the idempotency key of a crash between claim and send').toBe(
    later.event.id,
  );
});

it('gives another generation, type or object another id', () => {
  const ids = [
    aResource(),
    aResource({ metadata: { generation: 2 } }),
    aResource({ metadata: { uid: 'uid-2' } }),
    inFlight({}, { metadata: { deletionTimestamp: now.toISOString() } }),
  ].map((resource) => {
    const decision = decide(observing(resource), now, defaultRetryPolicy);
    return decision.do === 'claim' ? decision.event.id : decision.do;
  });
  expect(new Set(ids).size).toBe(ids.length);
});
