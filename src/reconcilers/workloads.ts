// Jobs, Deployments and pods as reconcilers read them: only the fields they decide on.
import type { KindRef, KubeObject, ObjectMeta } from '../kube/api.ts';

export { podKind } from '../kube/client.ts';
export { secretKind } from '../store/kinds.ts';

export const jobKind: KindRef = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
};

export const deploymentKind: KindRef = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

export const disruptionBudgetKind: KindRef = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};

/** Kubernetes' own controllers report failures in these. */
export const coreEventKind: KindRef = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};

export interface CoreEvent extends KubeObject {
  readonly message?: string;
  readonly lastTimestamp?: string | null;
}

interface WorkloadCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Job extends KubeObject {
  readonly status?: {
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly conditions?: readonly WorkloadCondition[];
  };
}

export interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: { readonly metadata?: Pick<ObjectMeta, 'labels' | 'annotations'> };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: { readonly startedAt?: string };
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

export interface Terminated {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
}

export interface Pod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly podIP?: string;
    readonly startTime?: string;
    readonly conditions?: readonly WorkloadCondition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

/** @returns whether the object was created for this owner: labels can be set on anything, and names be reused */
export function isControlledBy(owner: KubeObject, { metadata }: KubeObject): boolean {
  const { uid } = owner.metadata;
  const references = metadata.ownerReferences ?? [];
  return (
    uid !== undefined && references.some((each) => each.controller === true && each.uid === uid)
  );
}

export function isTrue(
  conditions: readonly WorkloadCondition[] | undefined,
  type: string,
): WorkloadCondition | undefined {
  return conditions?.find((each) => each.type === type && each.status === 'True');
}

/** Not CreateContainerConfigError: a kubelet that fails to read a Secret for a moment reports that, too. */
export const hopelessWaits: ReadonlySet<string> = new Set([
  'ErrImageNeverPull',
  'InvalidImageName',
]);
export const imagePullWaits: ReadonlySet<string> = new Set(['ErrImagePull', 'ImagePullBackOff']);
