// Pure. How far a version has come, and what is wrong with its pods when they do not become ready.
import { Reason } from '../../crds/conditions.ts';
import { label } from '../../store/kinds.ts';
import type { ContainerStatus, Pod } from '../workloads.ts';
import type { Observed } from './observe.ts';

export interface Progress {
  readonly state: 'progressing' | 'available' | 'failed';
  readonly reason: Reason;
  readonly message: string;
}

/** A container that ended this often does not end by chance. */
const crashesThatCount = 3;
const longestLine = 1_024;

export function progressOf(observed: Observed): Progress {
  const { provider, deployment, pods } = observed;
  const { version = '', replicas = 1 } = provider.spec;
  if (isAvailable(observed, replicas)) {
    const message = replicas === 0 ? `Version ${version} runs no pod` : `Version ${version} serves`;
    return { state: 'available', reason: Reason.Available, message };
  }
  const own = pods.filter(({ metadata }) => metadata.labels?.[label.version] === version);
  const trouble = own.map(troubleOf).find((each) => each !== undefined);
  const late = deployment?.status?.conditions?.some(
    ({ type, status }) => type === 'Progressing' && status === 'False',
  );
  if (late === true || trouble?.final === true) {
    const message = trouble?.message ?? `Version ${version} did not become ready in time`;
    return { state: 'failed', reason: Reason.DeploymentFailed, message };
  }
  const message = trouble?.message ?? `Version ${version} is starting`;
  return { state: 'progressing', reason: Reason.Progressing, message };
}

function isAvailable({ deployment }: Observed, replicas: number): boolean {
  const { metadata, status = {} } = deployment ?? {};
  if (metadata === undefined || status.observedGeneration !== metadata.generation) return false;
  const { updatedReplicas = 0, availableReplicas = 0, replicas: all = 0 } = status;
  return updatedReplicas >= replicas && availableReplicas >= replicas && all <= updatedReplicas;
}

interface Trouble {
  readonly message: string;
  /** No time will mend it. */
  readonly final: boolean;
}

const hopeless = new Set(['ErrImageNeverPull', 'InvalidImageName', 'CreateContainerConfigError']);
const pulling = new Set(['ErrImagePull', 'ImagePullBackOff']);

function troubleOf({ status, metadata }: Pod): Trouble | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.map(containerTrouble).find((each) => each !== undefined);
}

function containerTrouble({ state, lastState, restartCount = 0 }: ContainerStatus) {
  const { reason = '', message = '' } = state?.waiting ?? {};
  if (hopeless.has(reason)) return { message: line(`${reason}: ${message}`), final: true };
  if (pulling.has(reason)) {
    return { message: line(`The image cannot be pulled: ${message}`), final: false };
  }
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined || ended.exitCode === 0 || restartCount === 0) return undefined;
  const words =
    ended.reason === 'OOMKilled'
      ? 'It ran out of memory'
      : (ended.message?.trim().split('\n').at(-1) ?? `It ended with exit code ${ended.exitCode}`);
  return { message: line(words), final: restartCount >= crashesThatCount };
}

function line(text: string): string {
  return text.slice(0, longestLine);
}
