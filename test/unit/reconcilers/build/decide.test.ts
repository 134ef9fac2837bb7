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
} from '../../../support/fixtures/workloads/workload-builders.ts';

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
    reason: 'A build that was never reconciled has no status.',
    observed: observingBuild(pending),
    want: { do: 'start' },
  },
  'starts a queued build': {
    reason: 'The build that it waited for has ended.',
    observed: observingBuild(aBuild({ status: { phase: 'pending' } }), { running: 1 }),
    want: { do: 'start' },
  },
  '[K04] starts nothing in a namespace without guards': {
    reason: 'Tenant code must not run without its guards.',
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
    reason: 'Only running builds of a suspended organization continue.',
    observed: observingBuild(pending, { suspended: true }),
    want: { do: 'queue', reason: 'Suspended', message: 'The organization is suspended' },
  },
  '[K14] polls while its Job has no pod': {
    reason: 'A Job does not change when its pod is rejected.',
    observed: observingBuild(aBuild({ status: { phase: 'building' } }), {
      job: aJob(),
      refusal: 'exceeded quota: fairlead',
    }),
    want: { do: 'awaitPod', refusal: 'exceeded quota: fairlead' },
  },
  'queues a build behind running ones': {
    reason: 'The limit of concurrent builds is reached.',
    observed: observingBuild(pending, { running: 2 }),
    want: {
      do: 'queue',
      reason: 'Queued',
      message: 'Waiting for other builds of the organization to finish',
    },
  },
  'queues a build behind earlier queued ones': {
    reason: 'Concurrent workers must not exceed the limit together.',
    observed: observingBuild(pending, { running: 1, ahead: 1 }),
    want: {
      do: 'queue',
      reason: 'Queued',
      message: 'Waiting for other builds of the organization to finish',
    },
  },
  'takes over the result of the same bytes, without waiting for a slot': {
    reason: 'It needs no pod.',
    observed: observingBuild(pending, { twin, running: 2 }),
    want: { do: 'reuse' },
  },
  'records a Job that the status does not mention': {
    reason: 'A crash may happen between the two writes.',
    observed: observingBuild(pending, { job: aJob() }),
    want: { do: 'announce' },
  },
  'records its Job rather than take over the result of a twin': {
    reason: 'The running Job would be lost.',
    observed: observingBuild(pending, { job: aJob(), twin }),
    want: { do: 'announce' },
  },
  'keeps a running Job': {
    reason: 'A waiting build is not written.',
    observed: observingBuild(building, { job: aJob(), pod: aPod(), running: 1 }),
    want: { do: 'nothing' },
  },
  'keeps a Job whose pods are terminating': {
    reason: 'The log is complete only after their end.',
    observed: observingBuild(building, { job: aJob({ type: 'FailureTarget' }), pod: aPod() }),
    want: { do: 'nothing' },
  },
  'collects the result of a Job': {
    reason: 'Complete means that every step succeeded.',
    observed: observingBuild(building, { job: complete, pod: aPod() }),
    want: { do: 'collect' },
  },
  'collects the result of an unrecorded Job': {
    reason: 'There may have been no leader during the whole build.',
    observed: observingBuild(pending, { job: complete, pod: aPod() }),
    want: { do: 'collect' },
  },
  'fails with its Job, with the reason': {
    reason: 'The pod has a more precise reason than the Job.',
    observed: observingBuild(building, { job: broken, pod: crashed }),
    want: { do: 'fail', error: 'broken' },
  },
  'fails with a Job whose pod is missing': {
    reason: 'A build must always end.',
    observed: observingBuild(building, { job: broken }),
    want: { do: 'fail', error: 'The pod of the build no longer exists' },
  },
  'fails when its pod can never start': {
    reason: 'The error should be visible before the deadline.',
    observed: observingBuild(building, { job: aJob(), pod: stuck }),
    want: { do: 'fail', error: 'The build cannot start (InvalidImageName): no' },
  },
  'fails when its Job was deleted': {
    reason: 'An administrator ended it, so it must not start again.',
    observed: observingBuild(building),
    want: { do: 'fail', error: 'The Job of the build was deleted' },
  },
  'keeps a successful build': {
    reason: 'Its Job may have been removed.',
    observed: observingBuild(aBuild({ status: { phase: 'success' } })),
    want: { do: 'nothing' },
  },
  'keeps a failed build': {
    reason: 'The failure was reported already, even if its Job succeeds later.',
    observed: observingBuild(aBuild({ status: { phase: 'failed' } }), { job: complete }),
    want: { do: 'nothing' },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  expect(decide(observed, settings), reason).toEqual(want);
});
