import { expect, it } from 'vitest';
import { findCondition, Reason } from '../../../../../src/crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../../../src/crds/resource.ts';
import * as status from '../../../../../src/reconcilers/resource/status/status.ts';
import {
  aClaim,
  aResource,
  aStatus,
  contentOfResource,
  inFlight,
  now,
  readyResource,
  secondsLater,
} from '../../../../support/fixtures/builders.ts';

const resource = inFlight();
const event = aClaim();
const content = contentOfResource(resource);
const config = { name: 'orders' };
const deleting = inFlight(
  { type: 'DELETE' },
  { metadata: { deletionTimestamp: now.toISOString() } },
);

const earlier = { attempt: 1, error: 'Y: lost', failedAt: secondsLater(-2).toISOString() };

/** Ready / Reconciling / Stalled, as kstatus reads them. */
function reading({ conditions }: ResourceStatus): string {
  const types = ['Ready', 'Reconciling', 'Stalled', 'Draft', 'DeadLettered'] as const;
  return types
    .map((type) => ({ type, found: findCondition(conditions, type) }))
    .filter(({ found }) => found !== undefined)
    .map(({ type, found }) => `${type}=${found?.status}`)
    .join(' ');
}

const transitions: Readonly<
  Record<string, readonly [ResourceStatus | undefined, object, string, string]>
> = {
  'a draft': [
    status.explained(
      aResource({ spec: { lifecycle: 'Draft' } }),
      { reason: Reason.Draft, message: '' },
      now,
    ),
    { state: 'draft' },
    'Draft=True',
    'GitOps must not hang on a draft.',
  ],
  'waiting for a provider': [
    status.explained(aResource(), { reason: Reason.WaitingForProvider, message: '' }, now),
    { state: 'pending', reason: 'WaitingForProvider' },
    'Ready=False Reconciling=True',
    'It goes on by itself.',
  ],
  'a config that cannot be processed': [
    status.explained(
      aResource(),
      { reason: Reason.InvalidConfig, message: '', stalled: true },
      now,
    ),
    { state: 'pending' },
    'Ready=False Stalled=True',
    'Only a person can change it.',
  ],
  'a claim': [
    status.claimed(aResource(), event, now),
    { state: 'processing', content: event.content, event },
    'Ready=False Reconciling=True',
    'Work is under way.',
  ],
  'a success': [
    status.succeeded(resource, { event, outputs: { a: 1 }, config, content }, now),
    { state: 'ready', outputs: { a: 1 }, appliedConfig: config },
    'Ready=True',
    'Nothing else may be left on it.',
  ],
  'a success for content that changed since': [
    status.succeeded(resource, { event, outputs: { a: 1 }, config, content: 'newer' }, now),
    { state: 'pending', outputs: { a: 1 }, appliedConfig: config },
    'Ready=False Reconciling=True',
    'What exists is known; what is wanted is not done.',
  ],
  'a success of a version': [
    status.succeeded(
      resource,
      { event, outputs: {}, config, content, providerVersion: '20260131.120000' },
      now,
    ),
    { state: 'ready', providerVersion: '20260131.120000' },
    'Ready=True',
    'Who made it is known.',
  ],
  'an attempt that failed': [
    status.retrying(
      resource,
      { event: { ...event, sequence: 7 }, error: 'X: no', due: secondsLater(2) },
      now,
    ),
    {
      state: 'processing',
      error: 'X: no',
      event: {
        attempt: 2,
        sequence: 8,
        nextAttemptAt: secondsLater(2).toISOString(),
        errors: [{ attempt: 1, error: 'X: no', failedAt: now.toISOString() }],
      },
    },
    'Ready=False Reconciling=True',
    'The next attempt survives a restart.',
  ],
  'an attempt that is not counted': [
    status.retrying(
      resource,
      { event: { ...event, sequence: 7 }, error: 'X: no', due: secondsLater(2), isFree: true },
      now,
    ),
    { event: { attempt: 1, sequence: 8, nextAttemptAt: secondsLater(2).toISOString() } },
    'Ready=False Reconciling=True',
    'The event is not to blame, and its next delivery has a number of its own.',
  ],
  'an unfinished operation that says how far it is': [
    status.deferred(
      resource,
      { event, message: '40 %', progress: { done: 2 }, context: undefined, due: secondsLater(5) },
      now,
    ),
    { event: { attempt: 1, progress: { done: 2 } } },
    'Ready=False Reconciling=True',
    'It stays until the next answer.',
  ],
  'an unfinished operation': [
    status.deferred(
      resource,
      {
        event: { ...event, sequence: 7 },
        message: '40 %',
        context: { step: 1 },
        due: secondsLater(5),
      },
      now,
    ),
    {
      state: 'processing',
      reason: 'InProgress',
      event: { attempt: 1, sequence: 8, acceptedAt: now.toISOString(), context: { step: 1 } },
    },
    'Ready=False Reconciling=True',
    'A 202 spends no attempt.',
  ],
  'the last failure': [
    status.failed(
      resource,
      {
        event: { ...event, attempt: 2, errors: [earlier] },
        error: 'X: no',
        reason: Reason.AttemptsExhausted,
      },
      now,
    ),
    {
      state: 'failed',
      error: 'X: no',
      event: { errors: [earlier, { attempt: 2, error: 'X: no', failedAt: now.toISOString() }] },
    },
    'Ready=False Stalled=True DeadLettered=True',
    'A letter explains it.',
  ],
  'the last failure, after an earlier one was dismissed': [
    status.failed(
      inFlight({}, { metadata: { annotations: { 'fairlead.dev/dismissed': 'evt-0/0' } } }),
      { event, error: 'X: no', reason: Reason.AttemptsExhausted },
      now,
    ),
    { state: 'failed' },
    'Ready=False Stalled=True DeadLettered=True',
    'A dismissal covers one failure.',
  ],
  'a failure whose letter was deleted': [
    status.explained(
      readyResource({
        metadata: { annotations: { 'fairlead.dev/dismissed': 'evt-1/0' } },
        status: { state: 'failed', reason: 'ProviderFailed' },
      }),
      { reason: Reason.ProviderFailed, message: 'X: no' },
      now,
    ) ?? aStatus({}),
    { state: 'failed', reason: 'ProviderFailed' },
    'Ready=False Stalled=True',
    'No letter explains it any more.',
  ],
  'a claimed deletion': [
    status.claimed(deleting, aClaim({ type: 'DELETE' }), now),
    { state: 'deleting', reason: 'Deleting' },
    'Ready=False Reconciling=True',
    'kubectl shows it.',
  ],
  'a deletion that failed terminally': [
    status.failed(
      deleting,
      { event: aClaim({ type: 'DELETE' }), error: 'X: no', reason: Reason.AttemptsExhausted },
      now,
    ),
    { state: 'deleting', reason: 'DeleteFailed' },
    'Ready=False Stalled=True',
    'It is still being deleted.',
  ],
  'a success that deletion overtook': [
    status.succeeded(
      inFlight({}, { metadata: { deletionTimestamp: now.toISOString() } }),
      { event, outputs: { a: 1 }, config, content },
      now,
    ),
    { state: 'deleting', outputs: { a: 1 } },
    'Ready=False Reconciling=True',
    'The teardown needs the outputs.',
  ],
};

it.each(Object.entries(transitions))('records %s', (_name, [next, want, conditions, reason]) => {
  if (next === undefined) throw new Error('there must be something to write');
  expect(next, reason).toMatchObject(want);
  expect(reading(next), reason).toBe(conditions);
  expect(next.observedGeneration).toBe(1);
});

it('writes nothing when the status is equal', () => {
  const why = { reason: Reason.WaitingForProvider, message: 'm' };
  const first = status.explained(aResource(), why, now);
  const again = { ...aResource(), ...(first === undefined ? {} : { status: first }) };
  expect(status.explained(again, why, secondsLater(60))).toBeUndefined();
});

it('reads nothing large to compare the status', () => {
  const why = { reason: Reason.Suspended, message: 'm' };
  const ready = readyResource();
  const explained = status.explained(ready, why, now);
  const unread = Object.defineProperty({ ...explained }, 'outputs', {
    enumerable: true,
    get: () => expect.unreachable(),
  }) as ResourceStatus;
  expect(status.explained({ ...ready, status: unread }, why, secondsLater(60))).toBeUndefined();
});

it.each<[string, Partial<Resource['metadata']>, object]>([
  ['message', {}, { message: 'another' }],
  ['reason', {}, { reason: Reason.Paused }],
  ['a kind of waiting', {}, { stalled: true }],
  ['generation', { generation: 2 }, {}],
])('writes it again for another %s', (_what, metadata, other) => {
  const why = { reason: Reason.WaitingForProvider, message: 'm' };
  const first = status.explained(aResource(), why, now);
  const again = { ...aResource({ metadata }), ...(first === undefined ? {} : { status: first }) };
  expect(status.explained(again, { ...why, ...other }, now)).toBeDefined();
});

it('keeps the time of the first 202', () => {
  const accepted = aClaim({ acceptedAt: secondsLater(-60).toISOString() });
  const later = { event: accepted, message: '', context: undefined, due: secondsLater(5) };
  expect(status.deferred(resource, later, now).event?.acceptedAt).toBe(accepted.acceptedAt);
});

it('clears errors, context and times of the operation on success', () => {
  const times = { nextAttemptAt: now.toISOString(), acceptedAt: now.toISOString() };
  const failing = inFlight(
    { ...times, context: { step: 1 }, errors: [earlier] },
    { status: { error: 'X: no' } },
  );
  const claim = failing.status?.event ?? event;
  const next = status.succeeded(failing, { event: claim, outputs: {}, config, content }, now);
  expect(next).not.toHaveProperty('error');
  expect(next.event).not.toHaveProperty('nextAttemptAt');
  expect(next.event).not.toHaveProperty('acceptedAt');
  expect(next.event).not.toHaveProperty('context');
  expect(next.event).not.toHaveProperty('errors');
});

it('drops the previous version when an external provider recreated it', () => {
  const before = readyResource();
  const made = { ...before, status: { ...before.status, providerVersion: 'old' } } as Resource;
  const next = status.succeeded(made, { event, outputs: {}, config, content }, now);
  expect(next).not.toHaveProperty('providerVersion');
});

it('keeps the transition time of a condition whose status is equal', () => {
  const before = readyResource();
  const first = status.claimed(before, event, now);
  const second = status.retrying(
    { ...before, status: first },
    { event, error: 'X', due: now },
    secondsLater(9),
  );
  const times = [first, second].map(
    ({ conditions }) => findCondition(conditions, 'Ready')?.lastTransitionTime,
  );
  expect(times[0]).toBe(times[1]);
});

it('keeps outputs and the applied config of the last success through a failed update', () => {
  const next = status.failed(
    readyResource(),
    { event, error: 'X', reason: Reason.ProviderFailed },
    now,
  );
  expect(next).toMatchObject({ outputs: { url: 'x' }, appliedConfig: { name: 'orders' } });
});
