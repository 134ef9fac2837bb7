import { expect, it } from 'vitest';
import type { Provider } from '../../../../src/crds/provider.ts';
import type { Observed } from '../../../../src/reconcilers/deployment/observe.ts';
import { rolloutProgress } from '../../../../src/reconcilers/deployment/progress.ts';
import type {
  ContainerStatus,
  Deployment,
  Pod,
  Terminated,
} from '../../../../src/reconcilers/workloads.ts';
import { label } from '../../../../src/store/kinds.ts';
import {
  aDeployment,
  aProvider,
  aServingPod,
  nothingElse,
  version,
  waiting,
} from '../../../support/fixtures/workloads/workload-builders.ts';

interface Case {
  readonly reason: string;
  readonly deployment: Deployment | undefined;
  readonly pods?: readonly Pod[];
  readonly replicas?: number;
  /** The status of the Provider, as recorded before. */
  readonly recorded?: Provider['status'];
  readonly want: Partial<ReturnType<typeof rolloutProgress>>;
}

const starting = { state: 'progressing', message: `Version ${version} is starting` } as const;
const serves = { state: 'available', message: `Version ${version} is serving` } as const;
const fresh = aDeployment({ updatedReplicas: 1, availableReplicas: 0, readyReplicas: 0 });
const overdue = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
const refused = {
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'FailedCreate',
  message: 'pods "provider-shop-abc" is forbidden: exceeded quota: fairlead, limited: pods=1',
};
const late = aDeployment({ readyReplicas: 0, availableReplicas: 0, conditions: overdue });

const crashed = (restartCount: number, terminated: Partial<Terminated> = {}): ContainerStatus => ({
  name: 'provider',
  restartCount,
  state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting' } },
  lastState: { terminated: { exitCode: 1, ...terminated } },
});
const podWith = (status: ContainerStatus, metadata: Pod['metadata'] | object = {}): Pod =>
  aServingPod({ metadata, status: { containerStatuses: [status] } });

function observing({ deployment, pods = [], replicas, ...given }: Case): Observed {
  const spec = { version, ...(replicas === undefined ? {} : { replicas }) };
  const { recorded } = given;
  const provider = aProvider({ spec });
  return {
    provider: recorded === undefined ? provider : { ...provider, status: recorded },
    organization: undefined,
    build: undefined,
    deployment,
    ...nothingElse,
    pods,
  };
}

const cases: Record<string, Case> = {
  'is available when every pod is of the version and ready': {
    reason: 'Events can be delivered.',
    deployment: aDeployment(),
    want: { ...serves, reason: 'Available' },
  },
  'is starting before the Deployment is read': {
    reason: 'The status describes the previous version.',
    deployment: aDeployment({ observedGeneration: 1 }),
    want: starting,
  },
  '[K14] names the quota that rejects its pods': {
    reason: 'An administrator must raise the quota.',
    deployment: aDeployment({
      replicas: 0,
      updatedReplicas: 0,
      availableReplicas: 0,
      conditions: [refused],
    }),
    want: {
      state: 'progressing',
      reason: 'QuotaExceeded',
      message: 'Pods cannot be created: exceeded quota: fairlead, limited: pods=1',
    },
  },
  'is starting without a Deployment': {
    reason: 'The cache may not have it yet.',
    deployment: undefined,
    want: starting,
  },
  'is starting while its pods have not been ready for the minimum ready time': {
    reason: 'The older version still answers events, and the new one may crash at once.',
    deployment: aDeployment({
      replicas: 2,
      updatedReplicas: 1,
      readyReplicas: 2,
      availableReplicas: 1,
    }),
    want: { ...starting, reason: 'Progressing' },
  },
  'is starting while a pod that crashed has just become ready again': {
    reason: 'It may crash again at once.',
    deployment: aDeployment({ readyReplicas: 1, availableReplicas: 0 }),
    pods: [podWith({ ...crashed(1, { message: 'broken' }), state: {} })],
    want: { state: 'progressing', message: 'The process ended with code 1: broken' },
  },
  'is available while pods of the older version are about to end': {
    reason: 'No event waits between the last pod of the one and the takeover of the other.',
    deployment: aDeployment({ replicas: 2, updatedReplicas: 1, availableReplicas: 2 }),
    want: { ...serves, reason: 'Available' },
  },
  'is available as soon as its pods are ready when it replaces none': {
    reason: 'Waiting for the minimum ready time protects a version that serves.',
    deployment: aDeployment({ readyReplicas: 1, availableReplicas: 0 }),
    want: { ...serves, reason: 'Available' },
  },
  'is starting while some pods are not available': {
    reason: 'All replicas must be available.',
    deployment: aDeployment({ replicas: 3, updatedReplicas: 3, readyReplicas: 2 }),
    replicas: 3,
    want: starting,
  },
  'is available although an unneeded pod crashed': {
    reason: 'The required pods are available.',
    deployment: aDeployment(),
    pods: [podWith(crashed(5, { message: 'broken' }))],
    want: serves,
  },
  'reports the last message of a container': {
    reason: 'One crash may be transient, but its message is useful.',
    deployment: fresh,
    pods: [podWith(crashed(1, { message: 'starting\nProvider shop cannot run: no index.ts\n' }))],
    want: { state: 'progressing', message: 'Provider shop cannot run: no index.ts' },
  },
  'fails after a container terminated three times': {
    reason: 'Three crashes are not transient.',
    deployment: fresh,
    pods: [podWith(crashed(3, { message: 'broken' }))],
    want: {
      state: 'failed',
      reason: 'DeploymentFailed',
      message: 'The process ended with code 1: broken',
    },
  },
  'names memory as the reason': {
    reason: 'The last log line is unrelated.',
    deployment: fresh,
    pods: [podWith(crashed(3, { reason: 'OOMKilled', exitCode: 137, message: 'listening' }))],
    want: { state: 'failed', message: 'The process ran out of memory (OOMKilled)' },
  },
  'reports the exit code of a container without output': {
    reason: 'No other information exists.',
    deployment: fresh,
    pods: [podWith(crashed(3, { exitCode: 9 }))],
    want: { state: 'failed', message: 'The process ended with code 9 without an error message' },
  },
  'waits for an image': {
    reason: 'The registry may recover.',
    deployment: fresh,
    pods: [podWith(waiting('ImagePullBackOff', 'Back-off pulling'))],
    want: { state: 'progressing', message: 'The image cannot be pulled: Back-off pulling' },
  },
  'names the image after the deadline': {
    reason: 'The reason is known.',
    deployment: late,
    pods: [podWith(waiting('ErrImagePull', 'no such host'))],
    want: { state: 'failed', message: 'The image cannot be pulled: no such host' },
  },
  'fails at once for an impossible image': {
    reason: 'It cannot recover.',
    deployment: fresh,
    pods: [podWith(waiting('InvalidImageName', 'bad'))],
    want: { state: 'failed', message: 'InvalidImageName: bad' },
  },
  'fails after the deadline': {
    reason: 'A pod may be unschedulable.',
    deployment: late,
    want: { state: 'failed', message: `Version ${version} did not become ready in time` },
  },
  'ignores pods of other versions': {
    reason: 'They are being replaced.',
    deployment: fresh,
    pods: [
      podWith(crashed(9, { message: 'old' }), { labels: { [label.version]: '20250101.000000' } }),
    ],
    want: starting,
  },
  'ignores terminating pods': {
    reason: 'They are being deleted.',
    deployment: fresh,
    pods: [podWith(crashed(9), { deletionTimestamp: '2026-01-01T00:00:00Z' })],
    want: starting,
  },
  'truncates a long message': {
    reason: 'The length of a condition message is limited.',
    deployment: fresh,
    pods: [podWith(crashed(3, { message: 'x'.repeat(4_096) }))],
    want: { message: `The process ended with code 1: ${'x'.repeat(399)}…` },
  },
  'is starting although the previous version missed its deadline': {
    reason: 'The conditions describe the previous version.',
    deployment: aDeployment({ observedGeneration: 1, availableReplicas: 0, conditions: overdue }),
    want: starting,
  },
  'reports the exit code after white space as output': {
    reason: 'An empty message explains nothing.',
    deployment: fresh,
    pods: [podWith(crashed(3, { exitCode: 9, message: ' \n' }))],
    want: { state: 'failed', message: 'The process ended with code 9 without an error message' },
  },
  'repeats the message of a step': {
    reason: 'The step that fetches the code ends with JSON, as steps of builds do.',
    deployment: fresh,
    pods: [podWith(crashed(3, { message: '{"code":"X","message":"The code is damaged"}' }))],
    want: { state: 'failed', message: 'The code is damaged' },
  },
  'reports what it waits for when it is ready': {
    reason: 'The minimum ready time should not look like a failure.',
    deployment: { ...fresh, spec: { replicas: 1, minReadySeconds: 10 } },
    pods: [aServingPod()],
    recorded: { deployedVersion: '20251231.000000' },
    want: {
      state: 'progressing',
      message: `Version ${version} is ready, and takes over once it has been ready for 10 s`,
    },
  },
  'suggests a rollback when a version fails that took over': {
    reason: 'The previous version has no pods any more, so a rollback is needed.',
    deployment: fresh,
    pods: [podWith(crashed(3, { message: 'broken' }))],
    recorded: {
      deployedVersion: version,
      deployedAt: '2026-01-01T00:00:00Z',
      previousVersion: '20251231.000000',
    },
    want: {
      state: 'failed',
      message: `Version ${version} failed 40 s after it took over: The process ended with code 1: broken; roll back with: fairlead rollback shop 20251231.000000`,
    },
  },
  'suggests it from the first crash on': {
    reason: 'Events are already waiting.',
    deployment: fresh,
    pods: [podWith(crashed(1, { message: 'broken' }))],
    recorded: {
      deployedVersion: version,
      deployedAt: '2026-01-01T00:00:00Z',
      previousVersion: '20251231.000000',
    },
    want: {
      state: 'progressing',
      message: expect.stringContaining('; roll back with: fairlead rollback shop '),
    },
  },
  'keeps its message while it fails': {
    reason: 'Each change of the message is a write.',
    deployment: fresh,
    pods: [podWith(crashed(3, { message: 'broken' }))],
    recorded: {
      deployedVersion: version,
      deployedAt: '2026-01-01T00:00:00Z',
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Progressing',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:12Z',
        },
      ],
    },
    want: { message: expect.stringContaining(' failed 12 s after it took over: ') },
  },
  'suggests nothing without a previous version': {
    reason: 'No version to roll back to exists.',
    deployment: fresh,
    pods: [podWith(crashed(3, { message: 'broken' }))],
    recorded: { deployedVersion: version, deployedAt: '2025-12-29T00:00:00Z' },
    want: {
      message: `Version ${version} failed 3 days after it took over: The process ended with code 1: broken`,
    },
  },
  'only reports the reason when a version fails that never took over': {
    reason: 'The previous version still serves.',
    deployment: fresh,
    pods: [podWith(crashed(3, { message: 'broken' }))],
    recorded: { deployedVersion: '20251231.000000', deployedAt: '2025-12-31T00:00:00Z' },
    want: { state: 'failed', message: 'The process ended with code 1: broken' },
  },
  'waits for a transient error of a kubelet': {
    reason: 'A delayed Secret has the same reason as a missing one.',
    deployment: fresh,
    pods: [podWith(waiting('CreateContainerConfigError', 'failed to sync secret cache'))],
    want: { state: 'progressing' },
  },
};

const now = new Date('2026-01-01T00:00:40Z');

it.each(Object.entries(cases))('%s', (_name, given) => {
  expect(rolloutProgress(observing(given), now), given.reason).toMatchObject(given.want);
});
