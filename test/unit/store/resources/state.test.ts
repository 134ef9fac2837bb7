import { describe, expect, it } from 'vitest';
import { conditions, Reason } from '../../../../src/crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../../src/crds/resource.ts';
import { stalled } from '../../../../src/reconcilers/resource/status/stalled-status.ts';
import type { ResourceRecord } from '../../../../src/store/records.ts';
import { contentHashOf, declaredHashOf } from '../../../../src/store/resources/content.ts';
import { resourceRecord } from '../../../../src/store/resources/state.ts';
import {
  aClaim,
  aResource,
  contentOfResource,
  now,
  secondsLater,
} from '../../../support/fixtures/builders.ts';

const content = contentOfResource(aResource());
const due = secondsLater(7).toISOString();
const deletionTimestamp = '2026-01-01T00:00:05Z';

type Status = Partial<ResourceStatus> & { message?: string };

function withStatus(
  { message = '', ...status }: Status,
  metadata: Partial<Resource['metadata']> = {},
) {
  const { reason = 'Queued' } = status;
  const wanted = { type: 'Ready', status: 'False', reason, message } as Parameters<
    typeof conditions
  >[0][number];
  const all = conditions([wanted], { previous: [], generation: 1, now });
  return aResource({ status: { content, conditions: all, ...status }, metadata });
}

/** Of a reconciler that fails again and again. */
function withFailingPasses(resource: Resource): Resource {
  const why = { reason: Reason.ReconcileFailed, message: 'no receipt can be written' };
  const status = stalled(resource, why, now);
  return status === undefined ? resource : { ...resource, status };
}

interface Case {
  readonly resource: Resource;
  readonly want: Partial<ResourceRecord>;
}

const nothing = { message: null, attempt: null, nextAttemptAt: null, progress: null };

const refused: Status = {
  state: 'deleting',
  reason: 'DeleteFailed',
  message: 'X: no',
  error: 'X: no',
  event: aClaim({ type: 'DELETE', attempt: 5 }),
};
const requested = (annotations: Record<string, string>) => ({ deletionTimestamp, annotations });
const goesOn = { ...nothing, state: 'processing', reason: 'Deleting', error: null } as const;

const cases: Readonly<Record<string, Case>> = {
  'one that was not reconciled yet': {
    resource: aResource(),
    want: { state: 'pending', reason: 'Queued', ...nothing, appliedBy: null },
  },
  'a draft': {
    resource: aResource({ spec: { lifecycle: 'Draft' } }),
    want: { state: 'draft', reason: 'Draft', ...nothing },
  },
  'one that waits': {
    resource: withStatus({ reason: 'WaitingForProvider', message: 'No provider postgres' }),
    want: { ...nothing, reason: 'WaitingForProvider', message: 'No provider postgres' },
  },
  'one that changed since': {
    resource: withStatus({ state: 'ready', content: 'old', message: 'CREATE succeeded' }),
    want: { state: 'pending', reason: 'Queued', ...nothing },
  },
  'one in processing': {
    resource: withStatus({ state: 'processing', reason: 'Processing', event: aClaim() }),
    want: { state: 'processing', attempt: 1, nextAttemptAt: null },
  },
  'one that is retried': {
    resource: withStatus({
      state: 'processing',
      reason: 'RetryScheduled',
      message: 'Attempt 1 failed: X: no',
      error: 'X: no',
      event: aClaim({ attempt: 2, nextAttemptAt: due }),
    }),
    want: {
      message: `Attempt 1 failed: X: no; attempt 2 follows at ${due}`,
      error: 'X: no',
      attempt: 2,
      nextAttemptAt: due,
    },
  },
  'one whose attempts are used up': {
    resource: withStatus({
      state: 'failed',
      reason: 'AttemptsExhausted',
      message: 'X: no',
      error: 'X: no',
      event: aClaim({ attempt: 8 }),
    }),
    want: { message: 'X: no (attempt 8 of 8)', error: 'X: no', attempt: null },
  },
  'one whose provider answered 202': {
    resource: withStatus({
      state: 'processing',
      reason: 'InProgress',
      message: 'Copying, 40 % done',
      event: aClaim({ nextAttemptAt: due }),
    }),
    want: { message: 'Copying, 40 % done', attempt: 1, nextAttemptAt: due },
  },
  'one that is ready': {
    resource: withStatus({
      state: 'ready',
      reason: 'Processed',
      event: aClaim(),
      providerVersion: '20260131.120000',
    }),
    want: { ...nothing, providerVersion: '20260131.120000', deletionRequestedAt: null },
  },
  'one that is ready, and that kubectl applied': {
    resource: withStatus({ state: 'ready', reason: 'Processed', event: aClaim() }),
    want: { state: 'ready', providerVersion: null, appliedBy: null },
  },
  'one that was applied by a user': {
    resource: aResource({ metadata: { annotations: { 'fairlead.dev/applied-by': 'ada' } } }),
    want: { appliedBy: 'ada' },
  },
  'one whose deletion was not reconciled yet': {
    resource: withStatus({ state: 'ready', event: aClaim(), error: 'old' }, { deletionTimestamp }),
    want: {
      ...nothing,
      state: 'processing',
      reason: 'Deleting',
      error: null,
      deletionRequestedAt: '2026-01-01T00:00:05.000Z',
    },
  },
  'one whose teardown is retried': {
    resource: withStatus(
      {
        state: 'deleting',
        reason: 'RetryScheduled',
        message: 'Attempt 3 failed: X: no',
        error: 'X: no',
        event: aClaim({ type: 'DELETE', attempt: 4, nextAttemptAt: due }),
      },
      { deletionTimestamp },
    ),
    want: { state: 'processing', attempt: 4, nextAttemptAt: due, error: 'X: no' },
  },
  'one whose operation is polled to its end before its teardown': {
    resource: withStatus(
      {
        state: 'deleting',
        reason: 'InProgress',
        message: 'Copying',
        event: aClaim({ acceptedAt: now.toISOString(), nextAttemptAt: due }),
      },
      { deletionTimestamp },
    ),
    want: { state: 'processing', message: 'Copying', attempt: 1, nextAttemptAt: due },
  },
  'one whose teardown failed terminally': {
    resource: withStatus(refused, { deletionTimestamp }),
    want: { ...nothing, state: 'failed', reason: 'DeleteFailed', message: 'X: no', error: 'X: no' },
  },
  'one whose deletion was requested again after its failure': {
    resource: withStatus(refused, requested({ 'fairlead.dev/requeue': 'evt-1/1' })),
    want: goesOn,
  },
  'one whose deletion has failed again': {
    resource: withStatus(
      { ...refused, event: aClaim({ type: 'DELETE', attempt: 5, requeued: 1 }) },
      requested({ 'fairlead.dev/requeue': 'evt-1/1' }),
    ),
    want: { state: 'failed', reason: 'DeleteFailed', error: 'X: no' },
  },
  'one whose deletion was forced after its failure': {
    resource: withStatus(refused, requested({ 'fairlead.dev/force-deletion': 'true' })),
    want: goesOn,
  },
  'one whose forced deletion cannot go on': {
    resource: withFailingPasses(
      withStatus(refused, requested({ 'fairlead.dev/force-deletion': 'true' })),
    ),
    want: { state: 'processing', message: expect.stringContaining('no receipt') as string },
  },
};

describe('the record of', () => {
  it.each(Object.entries(cases))('%s', (_name, { resource, want }) => {
    expect(resourceRecord(resource)).toMatchObject(want);
  });
});

it('changes the hash of the content with the retry counter, but not that of the declaration', () => {
  const { spec } = aResource();
  const again = { ...spec, retry: 1 };
  expect(contentHashOf(again), 'a retry is a new event').not.toBe(contentHashOf(spec));
  expect(declaredHashOf(again), 'a client that repeats itself changes nothing').toBe(
    declaredHashOf(spec),
  );
});
