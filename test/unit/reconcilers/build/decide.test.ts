import { expect, it } from 'vitest';
import { type Decision, decide } from '../../../../src/reconcilers/build/decide.ts';
import type { Observed } from '../../../../src/reconcilers/build/observe.ts';
import {
  aBuild,
  aJob,
  aPod,
  artifact,
  ended,
  observingBuild,
  waiting,
} from '../../../support/workload-builders.ts';

interface Case {
  readonly reason: string;
  readonly observed: Observed;
  readonly want: Decision;
}

const settings = { parallel: 2, deadlineSeconds: 900 };
const pending = aBuild();
const building = aBuild({ status: { phase: 'building' } });
const twin = aBuild({
  spec: { version: '20251231.000000' },
  status: { phase: 'success', artifact },
});
const complete = aJob({ type: 'Complete' });
const broken = aJob({ type: 'Failed', reason: 'BackoffLimitExceeded' });
const stuck = aPod({ status: { initContainerStatuses: [waiting('InvalidImageName', 'no')] } });
const crashed = aPod({
  status: { phase: 'Failed', initContainerStatuses: [ended({ message: 'broken' })] },
});

const cases: Record<string, Case> = {
  'starts a build without predecessors': {
    reason: 'A build that was never looked at has no status.',
    observed: observingBuild(pending),
    want: { do: 'start' },
  },
  'starts a queued build': {
    reason: 'What it waited for has ended.',
    observed: observingBuild(aBuild({ status: { phase: 'pending' } }), { running: 1 }),
    want: { do: 'start' },
  },
  '[K04] starts nothing in a namespace without guards': {
    reason: 'The code of a tenant runs behind its guards, or not at all.',
    observed: observingBuild(pending, {
      unguarded: 'resourceQuota fairlead is missing or was modified',
    }),
    want: {
      do: 'queue',
      reason: 'GuardsMissing',
      message: 'resourceQuota fairlead is missing or was modified',
    },
  },
  'starts nothing for a suspended organization': {
    reason: 'It is cut off; what runs may end.',
    observed: observingBuild(pending, { suspended: true }),
    want: { do: 'queue', reason: 'Suspended', message: 'The organization is suspended' },
  },
  '[K14] polls while its Job has no pod': {
    reason: 'A Job that is refused its pod does not change.',
    observed: observingBuild(aBuild({ status: { phase: 'building' } }), {
      job: aJob(),
      refusal: 'exceeded quota: fairlead',
    }),
    want: { do: 'awaitPod', refusal: 'exceeded quota: fairlead' },
  },
  'queues a build behind running ones': {
    reason: 'An organization may run so many at a time.',
    observed: observingBuild(pending, { running: 2 }),
    want: {
      do: 'queue',
      reason: 'Queued',
      message: 'Waiting for other builds of the organization to finish',
    },
  },
  'queues a build behind earlier queued ones': {
    reason: 'Two workers that look at the same moment must not both start one too many.',
    observed: observingBuild(pending, { running: 1, ahead: 1 }),
    want: {
      do: 'queue',
      reason: 'Queued',
      message: 'Waiting for other builds of the organization to finish',
    },
  },
  'takes over the result of the same bytes, without waiting for a slot': {
    reason: 'That needs no pod.',
    observed: observingBuild(pending, { twin, running: 2 }),
    want: { do: 'reuse' },
  },
  'records a Job that the status does not mention': {
    reason: 'A crash may come between the two writes.',
    observed: observingBuild(pending, { job: aJob() }),
    want: { do: 'announce' },
  },
  'records its Job rather than take over the result of a twin': {
    reason: 'A Job that runs would be forgotten.',
    observed: observingBuild(pending, { job: aJob(), twin }),
    want: { do: 'announce' },
  },
  'keeps a running Job': {
    reason: 'Waiting means no writes.',
    observed: observingBuild(building, { job: aJob(), pod: aPod(), running: 1 }),
    want: { do: 'nothing' },
  },
  'keeps a Job whose pods are terminating': {
    reason: 'The log is whole only when they have.',
    observed: observingBuild(building, { job: aJob({ type: 'FailureTarget' }), pod: aPod() }),
    want: { do: 'nothing' },
  },
  'collects the result of a Job': {
    reason: 'Complete means that every step succeeded.',
    observed: observingBuild(building, { job: complete, pod: aPod() }),
    want: { do: 'collect' },
  },
  'collects the result of an unrecorded Job': {
    reason: 'The leader may have been away for the whole build.',
    observed: observingBuild(pending, { job: complete, pod: aPod() }),
    want: { do: 'collect' },
  },
  'fails with its Job, with the reason': {
    reason: 'The pod knows better than the Job.',
    observed: observingBuild(building, { job: broken, pod: crashed }),
    want: { do: 'fail', error: 'broken' },
  },
  'fails with a Job whose pod is missing': {
    reason: 'A build must always end.',
    observed: observingBuild(building, { job: broken }),
    want: { do: 'fail', error: 'The pod of the build no longer exists' },
  },
  'fails when its pod can never start': {
    reason: 'An author should not wait for the deadline to hear it.',
    observed: observingBuild(building, { job: aJob(), pod: stuck }),
    want: { do: 'fail', error: 'The build cannot start (InvalidImageName): no' },
  },
  'fails when its Job was deleted': {
    reason: 'An administrator ended it; a second Job would be a surprise.',
    observed: observingBuild(building),
    want: { do: 'fail', error: 'The Job of the build was deleted' },
  },
  'keeps a successful build': {
    reason: 'Its Job may be removed.',
    observed: observingBuild(aBuild({ status: { phase: 'success' } })),
    want: { do: 'nothing' },
  },
  'keeps a failed build': {
    reason: 'Its Job may end well after all, and authors were told.',
    observed: observingBuild(aBuild({ status: { phase: 'failed' } }), { job: complete }),
    want: { do: 'nothing' },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  expect(decide(observed, settings), reason).toEqual(want);
});
