// A version with several pods that has taken over: what its Deployment shows while some of them are missing.
import { expect, it } from 'vitest';
import type { Observed } from '../../../../src/reconcilers/deployment/observe.ts';
import { rolloutProgress } from '../../../../src/reconcilers/deployment/progress.ts';
import {
  aDeployment,
  aProvider,
  aServingPod,
  version,
} from '../../../support/fixtures/workloads/workload-builders.ts';

const serving = `Version ${version} is serving`;
const refused = {
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'FailedCreate',
  message: 'pods "provider-shop-abc" is forbidden: exceeded quota: fairlead, limited: pods=1',
};
const unscheduled = { ...refused, message: 'pods "provider-shop-abc" is forbidden: no such class' };
const overdue = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' };
const crashed = aServingPod({
  status: {
    containerStatuses: [
      {
        name: 'provider',
        restartCount: 3,
        lastState: { terminated: { exitCode: 1, message: 'broken' } },
      },
    ],
  },
});
const ofThree = (available: number, more: Parameters<typeof aDeployment>[0] = {}) =>
  aDeployment({
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: available,
    availableReplicas: available,
    ...more,
  });

const cases = {
  'is available with all of them': {
    reason: 'Nothing is missing.',
    deployment: ofThree(3),
    want: { state: 'available', reason: 'Available', message: serving },
  },
  'stays available with fewer': {
    reason: 'A version that has taken over serves with one pod, too.',
    deployment: ofThree(2),
    want: { state: 'available', reason: 'Available', message: `${serving} with 2 of 3 pods` },
  },
  'names the quota that refuses further pods': {
    reason: 'Nothing else would show why they are missing.',
    deployment: ofThree(1, { replicas: 1, updatedReplicas: 1, conditions: [refused] }),
    want: {
      state: 'available',
      reason: 'QuotaExceeded',
      message: `${serving} with 1 of 3 pods. Pods cannot be created: exceeded quota: fairlead, limited: pods=1`,
    },
  },
  'names another refusal': {
    reason: 'An administrator may have set a class that does not exist.',
    deployment: ofThree(1, { replicas: 1, updatedReplicas: 1, conditions: [unscheduled] }),
    want: {
      reason: 'Available',
      message: `${serving} with 1 of 3 pods. Pods cannot be created: no such class`,
    },
  },
  'names the crash of one of them': {
    reason: 'The others serve.',
    deployment: ofThree(2),
    pods: [crashed],
    want: {
      state: 'available',
      message: `${serving} with 2 of 3 pods. The process ended with code 1: broken`,
    },
  },
  'names that the others do not become ready': {
    reason: 'No node may have room for them.',
    deployment: ofThree(1, { conditions: [overdue] }),
    want: {
      state: 'available',
      message: `${serving} with 1 of 3 pods. The others did not become ready in time`,
    },
  },
  'is not available when the last one has ended': {
    reason: 'Events wait.',
    deployment: ofThree(0),
    want: { state: 'progressing', message: `New pods of version ${version} are starting` },
  },
  'is not available while pods of another template run': {
    reason: 'A change of settings has not reached all pods.',
    deployment: ofThree(3, { replicas: 4, updatedReplicas: 1 }),
    want: { state: 'progressing' },
  },
  'needs all of them to take over': {
    reason: 'The previous version still serves.',
    deployment: ofThree(2),
    deployedVersion: '20251231.000000',
    want: { state: 'progressing' },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, deployment, want, ...given }) => {
  const { deployedVersion = version } = given as { deployedVersion?: string };
  const { pods = [] } = given as Partial<Observed>;
  const provider = aProvider({ spec: { version, replicas: 3 }, status: { deployedVersion } });
  const observed = { provider, deployment, pods } as unknown as Observed;
  expect(rolloutProgress(observed, new Date('2026-01-01T00:00:40Z')), reason).toMatchObject(want);
});
