import { expect, it } from 'vitest';
import { buildFailure, stuckReason } from '../../../../src/reconcilers/build/failure.ts';
import type { Job, Pod } from '../../../../src/reconcilers/workloads.ts';
import {
  aJob,
  aPod,
  ended,
  waiting,
} from '../../../support/fixtures/workloads/workload-builders.ts';

interface Case {
  readonly reason: string;
  readonly job?: Job;
  readonly pod?: Pod | undefined;
  readonly refusal?: string;
  readonly want: string;
}

const backoff = aJob({ type: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has failed' });
const deadline = aJob({ type: 'Failed', reason: 'DeadlineExceeded', message: 'too long' });

const failedWith = (...statuses: ReturnType<typeof ended>[]): Pod =>
  aPod({ status: { phase: 'Failed', initContainerStatuses: statuses } });
const overdue = (...statuses: ReturnType<typeof ended>[]): Pod =>
  aPod({
    status: { phase: 'Failed', reason: 'DeadlineExceeded', initContainerStatuses: statuses },
  });
const evicted = (message: string): Pod =>
  aPod({ status: { phase: 'Failed', reason: 'Evicted', message } });

const cases: Record<string, Case> = {
  'names memory when a container ran out of it': {
    reason: 'The last log line is unrelated.',
    pod: failedWith(ended({ reason: 'OOMKilled', exitCode: 137, message: 'added 3 packages' })),
    want: 'The build ran out of memory',
  },
  'asks for another push when the node lost the build': {
    reason: 'The code did not cause it, and the build is not resumed.',
    pod: failedWith(
      ended({ reason: 'ContainerStatusUnknown', exitCode: 137, message: 'The container is gone' }),
    ),
    want: 'The node restarted while the build was running; push the code again',
  },
  'names the disk for a container beyond its limit': {
    reason: 'The text of the kubelet.',
    pod: evicted('Container build exceeded its local ephemeral storage limit "2Gi". '),
    want: 'The build exceeded its disk space limit',
  },
  'names the disk for a pod beyond its limit': {
    reason: 'The text of the kubelet.',
    pod: evicted(
      'Pod ephemeral local storage usage exceeds the total limit of containers 2304Mi. ',
    ),
    want: 'The build exceeded its disk space limit',
  },
  'names the disk for a volume beyond its limit': {
    reason: 'The workspace has a separate limit, which the kubelet reports in a different text.',
    pod: evicted('Usage of EmptyDir volume "workspace" exceeds the limit "2Gi". '),
    want: 'The build exceeded its disk space limit',
  },
  'reports an eviction for other pods': {
    reason: 'A push of the same code may succeed.',
    pod: evicted('The node was low on resource: memory. Threshold quantity: 100Mi.'),
    want: 'The node evicted the build: The node was low on resource: memory. Threshold quantity: 100Mi.',
  },
  'does not blame a build for the disk of its node': {
    reason: 'Other pods may have filled it; the build kept its limit.',
    pod: evicted('The node was low on resource: ephemeral-storage. '),
    want: 'The node evicted the build: The node was low on resource: ephemeral-storage.',
  },
  'names the image when it could not be pulled until the deadline': {
    reason: 'A slow pull is not caused by the code.',
    job: deadline,
    pod: aPod({ status: { containerStatuses: [waiting('ImagePullBackOff', 'Back-off pulling')] } }),
    want: 'The image of the build cannot be pulled: Back-off pulling',
  },
  'keeps the relevant line of several lines of the registry': {
    reason: 'The last line does not contain the cause.',
    job: deadline,
    pod: aPod({ status: { containerStatuses: [waiting('ErrImagePull', 'no host\nno route')] } }),
    want: 'The image of the build cannot be pulled: no host no route',
  },
  'reports what a pod waited for until the deadline': {
    reason: 'It may be transient until the deadline.',
    job: deadline,
    pod: aPod({
      status: { initContainerStatuses: [waiting('CreateContainerConfigError', 'no secret')] },
    }),
    want: 'The build cannot start (CreateContainerConfigError): no secret',
  },
  'names the deadline': {
    reason: 'The message shows the limit in minutes.',
    pod: overdue(ended({ exitCode: 143, message: 'still compiling' })),
    want: 'The build took longer than 15 minutes',
  },
  'names the image when it could not be pulled in the time of the pod': {
    reason: 'The code did not run.',
    pod: overdue(waiting('ErrImagePull', 'no such host')),
    want: 'The image of the build cannot be pulled: no such host',
  },
  'does not blame a build for a pod that never started': {
    reason:
      'The time of the Job is longer than that of its pod, and its controller deletes the pod.',
    job: deadline,
    want: 'The build did not finish in time; possibly no node has room for its pod',
  },
  'ignores the containers after the running one': {
    reason: 'They are waiting with PodInitializing during all steps.',
    pod: overdue(waiting('PodInitializing')),
    want: 'The build took longer than 15 minutes',
  },
  'repeats the message of a step': {
    reason: 'Steps end with one line of JSON with a message for authors.',
    pod: failedWith(
      ended({ message: 'npm says\n{"code":"BUILD_FAILED","message":"npm run build failed"}\n' }),
    ),
    want: 'npm run build failed',
  },
  'repeats the last line of a log': {
    reason: 'Without a termination message Kubernetes returns the end of the log.',
    pod: failedWith(ended({ message: 'compiling\n  Error: no such file  \n\n' })),
    want: 'Error: no such file',
  },
  'shows JSON of another format unchanged': {
    reason: 'Provider code may print any text.',
    pod: failedWith(ended({ message: 'null' })),
    want: 'null',
  },
  'joins the lines of a message': {
    reason: 'Tables show it in one line.',
    pod: failedWith(ended({ message: JSON.stringify({ code: 'X', message: 'one\ntwo' }) })),
    want: 'one two',
  },
  'truncates a long line': {
    reason: 'The length of a status message is limited.',
    pod: failedWith(ended({ message: 'x'.repeat(4_096) })),
    want: `${'x'.repeat(1_023)}…`,
  },
  'truncates between characters': {
    reason: 'Half of a surrogate pair cannot be stored.',
    pod: failedWith(ended({ message: `${'x'.repeat(1_022)}😀😀` })),
    want: `${'x'.repeat(1_022)}…`,
  },
  'suggests memory for a kill without a message': {
    reason: 'The kernel may have killed a child process, which Kubernetes does not report.',
    pod: failedWith(ended({ exitCode: 137, message: ' \n' })),
    want: 'The build was killed; it may have run out of memory',
  },
  'reports the exit code of a container without output': {
    reason: 'No other information exists.',
    pod: failedWith(ended({ exitCode: 3 })),
    want: 'The build ended with exit code 3',
  },
  'skips successful steps': {
    reason: 'Their termination messages are results.',
    pod: failedWith(
      ended({ exitCode: 0, message: 'unpacked' }, 'unpack'),
      ended({ exitCode: 2, message: 'broken' }),
    ),
    want: 'broken',
  },
  'repeats the reason of the Job when the pod is missing': {
    reason: 'A node may be removed with its pods.',
    want: 'Job has failed',
  },
  'reports a missing pod when the Job has no reason': {
    reason: 'An empty error explains nothing.',
    job: aJob({ type: 'Failed' }),
    want: 'The pod of the build no longer exists',
  },
  '[K14] names the quota that rejected its pod': {
    reason: 'The quota is the cause, not the nodes.',
    job: aJob({ type: 'Failed', reason: 'DeadlineExceeded' }),
    pod: undefined,
    refusal:
      'Error creating: pods "shop-1-abcde" is forbidden: exceeded quota: fairlead, requested: pods=1, used: pods=5, limited: pods=5',
    want: 'The build cannot start: exceeded quota: fairlead, requested: pods=1, used: pods=5, limited: pods=5',
  },
  'reports that there was no output': {
    reason: 'A pod can fail without a failed container.',
    pod: aPod({ status: { phase: 'Failed' } }),
    want: 'The build failed without an error message',
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, job = backoff, pod, refusal, want }) => {
  expect(buildFailure({ job, pod, refusal }, { deadlineSeconds: 900 }), reason).toBe(want);
});

it.each([
  ['ErrImageNeverPull', 'The build cannot start (ErrImageNeverPull): why'],
  ['InvalidImageName', 'The build cannot start (InvalidImageName): why'],
])('treats a pod as lost that waits with %s', (reason, want) => {
  const pod = aPod({ status: { initContainerStatuses: [waiting(reason, 'why')] } });
  expect(stuckReason(pod)).toBe(want);
});

it.each([
  ['ErrImagePull', 'A registry comes back.'],
  ['ImagePullBackOff', 'A registry comes back.'],
  ['CreateContainerConfigError', 'So says a kubelet that could not read a Secret this minute.'],
  ['PodInitializing', 'A step before it runs.'],
  ['ContainerCreating', 'The image is being pulled.'],
])('waits for a pod with %s', (reason, why) => {
  const pod = aPod({ status: { containerStatuses: [waiting(reason, 'why')] } });
  expect(stuckReason(pod), why).toBeUndefined();
});

it('waits for a pod without containers', () => {
  expect(stuckReason(aPod({ status: { phase: 'Pending' } }))).toBeUndefined();
});
