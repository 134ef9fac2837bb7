// Pure. Explains in one line for the author why a build failed: from the termination message of its pod, else from its Job.
import { oneLine } from '../../lib/text.ts';
import { lineOf } from '../termination-message.ts';
import {
  type ContainerStatus,
  hopelessWaits,
  imagePullWaits,
  isTrue,
  type Job,
  type Pod,
  type Terminated,
} from '../workloads.ts';

/** Time limit of the author's code; shown when it was exceeded. */
interface FailureOptions {
  readonly deadlineSeconds: number;
}

interface EndedBuild {
  readonly job: Job;
  /** The newest pod of the Job; undefined when there was none, or when it is gone. */
  readonly pod: Pod | undefined;
  /** Why its pod was refused. */
  readonly refusal: string | undefined;
}

export function buildFailure({ job, pod, refusal }: EndedBuild, options: FailureOptions): string {
  if (pod === undefined && refusal !== undefined) return explainRefusal(refusal);
  const failed = isTrue(job.status?.conditions, 'Failed');
  const late = [pod?.status?.reason, failed?.reason].includes('DeadlineExceeded');
  if (late) return (pod && waitingReason(pod)) ?? tooLate(pod, options);
  const words = pod === undefined ? undefined : (evictedBy(pod) ?? lastMessage(pod));
  if (words !== undefined) return lineOf(words);
  if (pod === undefined) return lineOf(failed?.message ?? 'The pod of the build no longer exists');
  return 'The build failed without an error message';
}

/** @param refusal message of Kubernetes when it refused to create the pod */
export function explainRefusal(refusal: string): string {
  const said = oneLine(refusal).replace(/^Error creating: pods "[^"]*" is forbidden: /, '');
  return lineOf(`The build cannot start: ${said}`);
}

/** The time of the pod begins with its first step; that of the Job also includes waiting for a node. */
function tooLate(pod: Pod | undefined, { deadlineSeconds }: FailureOptions): string {
  if (pod?.status?.reason === 'DeadlineExceeded') {
    return `The build took longer than ${Math.round(deadlineSeconds / 60)} minutes`;
  }
  return 'The build did not finish in time; possibly no node has room for its pod';
}

/** A permanent cause that keeps a pod from starting; undefined while it may still start. */
export function stuckReason(pod: Pod): string | undefined {
  const reason = statusesOf(pod)
    .map(({ state }) => state?.waiting)
    .find((waiting) => waiting?.reason !== undefined && hopelessWaits.has(waiting.reason));
  return reason === undefined ? undefined : lineOf(explainWaiting(reason));
}

interface WaitingContainer {
  readonly reason?: string;
  readonly message?: string;
}

/** Why a pod did not start in time. */
function waitingReason(pod: Pod): string | undefined {
  const found = statusesOf(pod)
    .map(({ state }) => state?.waiting)
    .find((waiting) => waiting?.reason !== undefined && !ordinary.has(waiting.reason));
  return found === undefined ? undefined : lineOf(explainWaiting(found));
}

const ordinary = new Set(['PodInitializing', 'ContainerCreating']);

function explainWaiting({ reason = 'Waiting', message: said = '' }: WaitingContainer): string {
  const message = oneLine(said);
  if (imagePullWaits.has(reason)) return `The image of the build cannot be pulled: ${message}`;
  return `The build cannot start (${reason}): ${message}`;
}

function evictedBy({ status }: Pod): string | undefined {
  if (status?.reason !== 'Evicted') return undefined;
  const message = oneLine(status.message ?? 'Evicted');
  // A node that runs low on disk is not the fault of this build: messages about limits contain the word limit.
  const disk = /exceed(?:s|ed) .*\blimit\b/i.test(message);
  return disk
    ? 'The build exceeded its disk space limit'
    : `The node evicted the build: ${message}`;
}

function lastMessage(pod: Pod): string | undefined {
  const ended = statusesOf(pod).flatMap((each) => (failedState(each) ? [failedState(each)] : []));
  const [first] = ended;
  if (first === undefined) return undefined;
  if (first.reason === 'OOMKilled') return 'The build ran out of memory';
  if (first.reason === 'ContainerStatusUnknown') {
    return 'The node restarted while the build was running; push the code again';
  }
  const message = first.message?.trim() ?? '';
  if (message !== '') return message;
  if (first.exitCode === 137) return 'The build was killed; it may have run out of memory';
  return `The build ended with exit code ${first.exitCode}`;
}

function failedState({ state }: ContainerStatus): Terminated | undefined {
  const { terminated } = state ?? {};
  return terminated === undefined || terminated.exitCode === 0 ? undefined : terminated;
}

function statusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}
