// Builds Builds, Jobs, pods, providers and Deployments with defaults, so that a test names only what matters to it.
import type { Build } from '../../src/crds/build.ts';
import type { Provider } from '../../src/crds/provider.ts';
import { jobNameOf } from '../../src/domain/build.ts';
import type { Observed as ObservedBuild } from '../../src/reconcilers/build/observe.ts';
import type {
  ContainerStatus,
  Deployment,
  Job,
  Pod,
  Terminated,
} from '../../src/reconcilers/workloads.ts';
import { label } from '../../src/store/kinds.ts';

export const namespace = 'fl-acme-0123456789ab';
export const version = '20260101.000000';
export const sourceDigest = `sha256:${'5'.repeat(64)}`;
export const artifact = { digest: `sha256:${'a'.repeat(64)}`, size: 100 };

interface Shape<T extends { metadata: object; status?: unknown }> {
  readonly metadata?: Partial<T['metadata']>;
  readonly status?: Partial<NonNullable<T['status']>>;
}

/** A build that is not reconciled yet. */
export function aBuild({
  metadata,
  spec,
  status,
}: Shape<Build> & { spec?: Partial<Build['spec']> } = {}): Build {
  const whole = { provider: 'shop', version, source: { digest: sourceDigest, size: 9 }, ...spec };
  const name = jobNameOf(whole.provider, whole.version);
  return {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Build',
    metadata: { name, namespace, uid: `uid-${name}`, generation: 1, ...metadata },
    spec: whole,
    ...(status === undefined ? {} : { status: { phase: 'pending', ...status } }),
  };
}

const controller = (apiVersion: string, kind: string, uid: string) => ({
  ...{ apiVersion, kind, uid },
  name: jobNameOf('shop', version),
  controller: true,
});

/** The Job of `aBuild()`; it runs, unless a condition ends it. */
export function aJob(ended?: {
  readonly type: 'Complete' | 'Failed' | 'FailureTarget' | 'SuccessCriteriaMet';
  readonly reason?: string;
  readonly message?: string;
}): Job {
  const status = ended === undefined ? {} : { conditions: [{ status: 'True', ...ended }] };
  const name = jobNameOf('shop', version);
  const ownerReferences = [controller('fairlead.dev/v1alpha1', 'Build', `uid-${name}`)];
  return { metadata: { name, namespace, uid: 'uid-job', ownerReferences }, status };
}

/** A pod of `aBuild()`. */
export function aPod({ metadata, status }: Shape<Pod> = {}): Pod {
  const build = jobNameOf('shop', version);
  return {
    metadata: {
      name: `${build}-abcde`,
      namespace,
      uid: 'uid-pod',
      creationTimestamp: '2026-01-01T00:00:01Z',
      labels: { [label.provider]: 'shop', [label.build]: build },
      ownerReferences: [controller('batch/v1', 'Job', 'uid-job')],
      ...metadata,
    },
    status: { phase: 'Running', ...status },
  };
}

/** A pod that runs a deployed version and accepts events. */
export function aServingPod({ metadata, status }: Shape<Pod> = {}): Pod {
  return aPod({
    metadata: {
      name: 'provider-shop-1',
      labels: { [label.provider]: 'shop', [label.version]: version },
      ...metadata,
    },
    status: { podIP: '10.0.0.1', conditions: [{ type: 'Ready', status: 'True' }], ...status },
  });
}

export const waiting = (reason: string, message = ''): ContainerStatus => ({
  name: 'build',
  state: { waiting: { reason, message } },
});

export const ended = (terminated: Partial<Terminated>, name = 'build'): ContainerStatus => ({
  name,
  state: { terminated: { exitCode: 1, ...terminated } },
});

/** The observation of a reconciler for a build that may start at once. */
export function observingBuild(build: Build, changes: Partial<ObservedBuild> = {}): ObservedBuild {
  return {
    build,
    job: undefined,
    pod: undefined,
    twin: undefined,
    running: 0,
    ahead: 0,
    unguarded: undefined,
    suspended: false,
    refusal: undefined,
    ...changes,
  };
}

export function aProvider({
  metadata,
  spec,
  status,
}: Shape<Provider> & { spec?: Partial<Provider['spec']> } = {}): Provider {
  return {
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Provider',
    metadata: { name: 'shop', namespace, uid: 'uid-shop', generation: 1, ...metadata },
    spec: { provider: 'shop', ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

/** The Deployment of a version whose one pod is available. */
/** What is observed beside a provider that has nothing but its Deployment. */
export const nothingElse = {
  applied: undefined,
  pods: [],
  hasResources: false,
  definitions: [],
  usedTypes: new Set<string>(),
  unguarded: undefined,
  reach: undefined,
};

export function aDeployment(status: Deployment['status'] = {}): Deployment {
  return {
    metadata: { name: 'provider-shop', namespace, uid: 'uid-deployment', generation: 2 },
    spec: { replicas: 1 },
    status: {
      observedGeneration: 2,
      replicas: 1,
      updatedReplicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      ...status,
    },
  };
}
