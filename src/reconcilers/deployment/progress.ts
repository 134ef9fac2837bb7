// Pure. Computes the rollout progress of a version and explains why its pods do not become ready.
import { findCondition, Reason } from '../../crds/conditions.ts';
import type { Provider } from '../../crds/provider.ts';
import { crashSentence } from '../../domain/process-end/sentence.ts';
import { blamesSettings } from '../../domain/providers/settings-trouble.ts';
import { durationText } from '../../lib/duration.ts';
import { label } from '../../store/kinds.ts';
import { rollbackVersionOf } from '../../store/providers/rollback.ts';
import { settingsSetSince } from '../../store/providers/setting-names.ts';
import {
  type ContainerStatus,
  type Deployment,
  hopelessWaits,
  imagePullWaits,
  isTrue,
  type Pod,
} from '../workloads.ts';
import type { Observed } from './observe.ts';

export interface Progress {
  readonly state: 'progressing' | 'available' | 'failed';
  readonly reason: Reason;
  readonly message: string;
}

/** So many crashes of a container are no coincidence. */
const crashesThatCount = 3;
const maxLineLength = 1_024;

export function rolloutProgress(observed: Observed, now: Date): Progress {
  const { provider, deployment, pods } = observed;
  const { version = '', replicas = 1 } = provider.spec;
  const own = pods.filter((pod) => isOfVersion(pod, version, deployment));
  const trouble = own
    .filter((pod) => !hasRecovered(pod, observed, now))
    .map(troubleOf)
    .find((each) => each !== undefined);
  if (isAvailable(observed, replicas, trouble)) {
    return {
      state: 'available',
      reason: Reason.Available,
      message: `Version ${version} is serving`,
    };
  }
  if (servesWithFewer(observed)) return fewer(observed, trouble);
  const message = trouble === undefined ? undefined : troubleInWords(provider, trouble, now);
  if (isLate(deployment) || trouble?.final === true) {
    const late = `Version ${version} did not become ready in time`;
    const why = message ?? replicaFailure(deployment)?.message ?? late;
    return { state: 'failed', reason: Reason.DeploymentFailed, message: why };
  }
  const refusal = replicaFailure(deployment);
  if (trouble === undefined && refusal !== undefined) return refusal;
  const progress = own.some(isPodReady) ? readyInWords(observed) : startingInWords(provider);
  return { state: 'progressing', reason: Reason.Progressing, message: message ?? progress };
}

/**
 * Pods of the version that have another setting or certificate than new ones are being replaced: what became of them is no news, and a
 * setting may have been set to repair it.
 */
function isOfVersion(
  { metadata }: Pod,
  version: string,
  deployment: Deployment | undefined,
): boolean {
  if (metadata.labels?.[label.version] !== version) return false;
  const wanted = Object.entries(deployment?.spec?.template?.metadata?.annotations ?? {});
  return wanted.every(([name, value]) => metadata.annotations?.[name] === value);
}

function isPodReady({ status }: Pod): boolean {
  return isTrue(status?.conditions, 'Ready') !== undefined;
}

/** A crash is over once the pod has been ready for the minimum time again: it is no news when the pod is replaced. */
function hasRecovered({ status }: Pod, { deployment }: Observed, now: Date): boolean {
  const { minReadySeconds = 0 } = deployment?.spec ?? {};
  const since = Date.parse(isTrue(status?.conditions, 'Ready')?.lastTransitionTime ?? '');
  return since + minReadySeconds * 1_000 <= now.getTime();
}

function readyInWords({ provider, deployment }: Observed): string {
  const { minReadySeconds = 0 } = deployment?.spec ?? {};
  const { spec, status } = provider;
  const { deployedVersion } = status ?? {};
  if (minReadySeconds === 0 || deployedVersion === undefined) return startingInWords(provider);
  return deployedVersion === spec.version
    ? `New pods of version ${spec.version} are ready, and take over once they have been ready for ${minReadySeconds} s`
    : `Version ${spec.version} is ready, and takes over once it has been ready for ${minReadySeconds} s`;
}

/** A version that has taken over gets new pods, such as with another setting. */
function startingInWords({ spec: { version }, status }: Provider): string {
  return status?.deployedVersion === version
    ? `New pods of version ${version} are starting`
    : `Version ${version} is starting`;
}

/** A version that served already: the text names what brings it back, which is what was changed last. */
function troubleInWords(provider: Provider, { message }: Trouble, now: Date): string {
  const { spec, status } = provider;
  if (status?.deployedVersion !== spec.version) return message;
  const after = servedFor(status, now);
  return `Version ${spec.version} failed ${after}after it took over: ${message}${wayBack(provider, message)}`;
}

/** Code that has served is not to blame for a setting that was set since: an older version would get the same value. */
function wayBack(provider: Provider, trouble: string): string {
  const { spec } = provider;
  const changed = settingsSetSince(provider);
  if (changed.length > 0) {
    const were = `${changed.join(', ')} ${changed.length === 1 ? 'was' : 'were'} set since`;
    return `; ${were}, correct with: fairlead provider settings set --provider ${spec.provider} ${changed.join(' ')}`;
  }
  if (blamesSettings(trouble)) {
    return `; correct with: fairlead provider settings set --provider ${spec.provider} NAME`;
  }
  const previous = rollbackVersionOf(provider);
  if (previous === undefined) return '';
  return `; roll back with: fairlead rollback ${spec.provider} ${previous}`;
}

/** Up to its first failure, so that the text stays the same while it fails. */
function servedFor(status: Provider['status'], now: Date): string {
  const { deployedAt } = status ?? {};
  if (deployedAt === undefined) return '';
  const ready = findCondition(status?.conditions, 'Ready');
  const failedAt = ready?.status === 'False' ? Date.parse(ready.lastTransitionTime) : now.getTime();
  return `${durationText((failedAt - Date.parse(deployedAt)) / 1_000)} `;
}

/** Until it is observed, the status describes the previous version. */
export function isCurrent(deployment: Deployment): boolean {
  return deployment.status?.observedGeneration === deployment.metadata.generation;
}

/** Only the Deployment reports pods that Kubernetes refuses to create, for example because of a quota. */
function replicaFailure(deployment: Deployment | undefined): Progress | undefined {
  const found = deployment?.status?.conditions?.find(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  );
  if (found === undefined) return undefined;
  const said = shortLine((found.message ?? '').replace(/^pods "[^"]*" is forbidden: /, ''));
  const reason = /exceeded quota/.test(said) ? Reason.QuotaExceeded : Reason.Progressing;
  return { state: 'progressing', reason, message: `Pods cannot be created: ${said}` };
}

/** Returns whether its pods did not become ready in time. */
export function isLate(deployment: Deployment | undefined): boolean {
  if (deployment === undefined || !isCurrent(deployment)) return false;
  const { conditions = [] } = deployment.status ?? {};
  return conditions.some(({ type, status }) => type === 'Progressing' && status === 'False');
}

/**
 * Kubernetes removes pods of the version before once those of the new one have been ready for the minimum ready time. Where there
 * are none, a version takes over as soon as its pods are ready, unless one of them has crashed.
 */
function isAvailable(
  { provider, deployment }: Observed,
  replicas: number,
  trouble: Trouble | undefined,
): boolean {
  if (deployment === undefined || !isCurrent(deployment)) return false;
  const { status = {} } = deployment;
  const {
    updatedReplicas = 0,
    readyReplicas = 0,
    availableReplicas = 0,
    replicas: all = 0,
  } = status;
  if (updatedReplicas < replicas) return false;
  if (all <= updatedReplicas) {
    return (trouble === undefined ? readyReplicas : availableReplicas) >= replicas;
  }
  // While pods of the version before are left, so that no event has to wait for the takeover.
  return availableReplicas >= all && provider.status?.deployedVersion !== provider.spec.version;
}

/** A version that has taken over does not stop serving because more pods are wanted, or one has ended. */
function servesWithFewer({ provider, deployment }: Observed): boolean {
  if (deployment === undefined || !isCurrent(deployment)) return false;
  const { availableReplicas = 0, updatedReplicas = 0, replicas: all = 0 } = deployment.status ?? {};
  const hasTakenOver = provider.status?.deployedVersion === provider.spec.version;
  return hasTakenOver && availableReplicas > 0 && all <= updatedReplicas;
}

function fewer({ provider, deployment }: Observed, trouble: Trouble | undefined): Progress {
  const { version, replicas = 1 } = provider.spec;
  const { availableReplicas = 0 } = deployment?.status ?? {};
  const refusal = replicaFailure(deployment);
  const reason = refusal?.reason === Reason.QuotaExceeded ? refusal.reason : Reason.Available;
  const many = `Version ${version} is serving with ${availableReplicas} of ${replicas} pods`;
  const late = isLate(deployment) ? 'The others did not become ready in time' : undefined;
  const why = refusal?.message ?? trouble?.message ?? late;
  return { state: 'available', reason, message: why === undefined ? many : `${many}. ${why}` };
}

interface Trouble {
  readonly message: string;
  /** It does not resolve by itself. */
  readonly final: boolean;
}

const unreadable = 'CreateContainerConfigError';

function troubleOf({ status, metadata }: Pod): Trouble | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.map(containerTrouble).find((each) => each !== undefined);
}

function containerTrouble({ state, lastState, restartCount = 0 }: ContainerStatus) {
  const { reason = '', message = '' } = state?.waiting ?? {};
  if (hopelessWaits.has(reason))
    return { message: shortLine(`${reason}: ${message}`), final: true };
  if (imagePullWaits.has(reason)) {
    return { message: shortLine(`The image cannot be pulled: ${message}`), final: false };
  }
  if (reason === unreadable) return { message: shortLine(`${reason}: ${message}`), final: false };
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended === undefined || ended.exitCode === 0 || restartCount === 0) return undefined;
  return { message: crashSentence(ended), final: restartCount >= crashesThatCount };
}

function shortLine(text: string): string {
  return text.slice(0, maxLineLength);
}
