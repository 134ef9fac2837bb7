// Builds the Deployment manifest of a provider: our init container fetches and verifies its built code, and our runtime
// serves it. Pods hold one token, which only reads that code. Pure.
import { defaultTimeoutSeconds } from '../../domain/event.ts';
import { quantityBytes } from '../../domain/limits.ts';
import { amountsOf, type PodResources } from '../../domain/providers/pod-resources.ts';
import type { PodScheduling } from '../../domain/providers/pod-scheduling.ts';
import type { ServingCertificate } from '../../domain/providers/serving-certificate.ts';
import {
  container,
  isolatedPod,
  messageFile,
  type ResourceLimits,
  scratch,
  tenantAccounts,
} from './pod.ts';
import { type PullConfig, pullSecret, pullSecretsOf } from './pull-secret.ts';
import {
  certificateAnnotations,
  certificateFlags,
  certificateMount,
  certificateSecret,
  certificateVolume,
  securePort,
} from './serving-certificate.ts';
import { type PodSettings, settingsParts } from './settings-volume.ts';

interface Owner {
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
}

export interface DeploymentOptions {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The Provider, which owns all objects but the Secrets of a version. */
  readonly owner: Owner;
  /** The Build of the version, which owns its Secrets, so that they do not outlive it. Absent when it is gone. */
  readonly build?: Owner | undefined;
  readonly provider: string;
  /** External id of the organization whose events are accepted. */
  readonly organization: string;
  readonly version: string;
  readonly replicas: number;
  /** How long a new pod must be ready before it replaces an old one. */
  readonly minReadySeconds: number;
  readonly image: string;
  /** Base URL of the internal listener, as pods reach it. */
  readonly artifactsUrl: string;
  /** Base URL of Fairlead, whose signatures are trusted. */
  readonly fairleadUrl: string;
  readonly artifactDigest: string;
  /** Secret with the token, under `download`. */
  readonly secretName: string;
  /** With which its pods serve events. */
  readonly certificate: ServingCertificate;
  readonly pullConfig?: PullConfig;
  /** The longest time of a handler of this version. */
  readonly handlerSeconds?: number;
  /** Undefined when the version declares no settings. */
  readonly settings?: PodSettings | undefined;
  /** The resources of the container that serves events; absent ones have a default. */
  readonly resources?: PodResources | undefined;
  readonly scheduling?: PodScheduling | undefined;
}

/** Kubelets probe it; events arrive at the port with TLS. */
const probePort = 8080;
const versionLabel = 'fairlead.dev/version';

/** How long the pods of a version may take to become ready, before it counts as failed. */
const progressDeadlineSeconds = 120;

const code = { name: 'code', mountPath: '/workspace' };
const fetchLimits: ResourceLimits = { cpu: '1', memory: '256Mi', ephemeralStorage: '1Gi' };
const serveStorage = '1Gi';

// Covers the removal from endpoints (notice) and the end of handlers (grace), with a margin.
const terminationGraceSeconds = 40;
const marginSeconds = 20;
/** A version that ends its process this long after its pod counts as ready is still a bad one. */
const earlyMarginSeconds = 5;

interface SecretContents {
  readonly token: string;
  /** Certificate and private key as PEM. */
  readonly certified: { readonly certificate: string; readonly key: string };
}

/** @returns the Secrets with the token and the certificate, and its pull secret; all are deleted with the Build */
export function deploymentSecrets(
  options: DeploymentOptions,
  { token, certified }: SecretContents,
) {
  const { pullConfig, certificate } = options;
  const own = deploymentSecret(options, token);
  return [
    own,
    certificateSecret(own.metadata, certificate, certified),
    ...(pullConfig === undefined ? [] : [pullSecret(own.metadata, pullConfig)]),
  ];
}

function deploymentSecret(options: DeploymentOptions, token: string) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: secretMetadataOf(options),
    type: 'Opaque',
    immutable: true,
    stringData: { download: token },
  };
}

/** @returns the metadata of the Secrets of a version, with the name of that with its token */
export function secretMetadataOf(options: DeploymentOptions) {
  const { build, secretName } = options;
  const metadata = { ...workloadMetadata(options), name: secretName };
  if (build === undefined) return metadata;
  // Not of the Provider as well: an object is only deleted when it has no owner any more.
  return { ...metadata, ownerReferences: [{ ...build, kind: 'Build', controller: false }] };
}

export function workloadMetadata({ name, namespace, labels, owner }: DeploymentOptions) {
  const reference = { ...owner, kind: 'Provider', controller: true, blockOwnerDeletion: true };
  return { name, namespace, labels: { ...labels }, ownerReferences: [reference] };
}

/** @returns a selector of the pods of all versions; pods of builds also have the label of their provider */
export function servingPodsSelector({ labels }: Pick<DeploymentOptions, 'labels'>) {
  return {
    matchLabels: { ...labels },
    matchExpressions: [{ key: versionLabel, operator: 'Exists' }],
  };
}

// With one pod, too: otherwise the second one would replace the first.
function spread(options: DeploymentOptions) {
  return ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: servingPodsSelector(options),
    // The pods that a rollout is about to remove do not count.
    matchLabelKeys: ['pod-template-hash'],
  }));
}

/** @returns the Deployment that runs one version */
export function deployment(options: DeploymentOptions) {
  const { labels, version, replicas, minReadySeconds, secretName, pullConfig } = options;
  const { certificate } = options;
  const podLabels = { ...labels, [versionLabel]: version };
  const { annotations, volumes } = settingsParts(options.settings);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: workloadMetadata(options),
    spec: {
      replicas,
      revisionHistoryLimit: 3,
      progressDeadlineSeconds,
      // Many bugs of the code show only after it has started.
      minReadySeconds,
      // The old version serves until the new one has been ready for this long.
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: { ...labels } },
      template: {
        metadata: {
          labels: podLabels,
          annotations: { ...annotations, ...certificateAnnotations(certificate) },
        },
        spec: {
          ...isolatedPod,
          ...options.scheduling,
          ...pullSecretsOf(secretName, pullConfig),
          serviceAccountName: tenantAccounts.provider,
          terminationGracePeriodSeconds: isLongRunning(options)
            ? options.handlerSeconds + marginSeconds
            : terminationGraceSeconds,
          topologySpreadConstraints: spread(options),
          volumes: [
            { name: code.name, emptyDir: { sizeLimit: '1Gi' } },
            { name: scratch.name, emptyDir: { sizeLimit: '512Mi' } },
            ...volumes,
            certificateVolume(certificate),
          ],
          initContainers: [fetchCode(options)],
          containers: [serveCode(options)],
        },
      },
    },
  };
}

function fetchCode({ image, artifactsUrl, artifactDigest, secretName }: DeploymentOptions) {
  return container({
    name: 'fetch',
    image,
    program: 'build-step',
    args: [
      ...['unpack', '--url', artifactsUrl, '--digest', artifactDigest],
      ...['--workspace', '/workspace', '--message-file', messageFile],
    ],
    env: [
      {
        name: 'FAIRLEAD_ARTIFACTS_TOKEN',
        valueFrom: { secretKeyRef: { name: secretName, key: 'download' } },
      },
    ],
    mounts: [code, scratch],
    limits: fetchLimits,
  });
}

type LongRunning = DeploymentOptions & { readonly handlerSeconds: number };

/** Whether its handlers need a longer grace period than those of other versions. */
function isLongRunning(options: DeploymentOptions): options is LongRunning {
  return (options.handlerSeconds ?? 0) > defaultTimeoutSeconds;
}

function serveCode(options: DeploymentOptions) {
  const { image, provider, organization, fairleadUrl, settings, minReadySeconds } = options;
  const { limits, requests } = amountsOf(options.resources);
  const { args, mounts } = settingsParts(settings);
  const probe = { httpGet: { path: '/readyz', port: probePort } };
  return {
    ...container({
      name: 'provider',
      image,
      program: 'runtime',
      args: [
        ...['--code', '/workspace/code', '--provider', provider],
        // One argument, because an id may begin with a dash; escaped, because Kubernetes expands `$(…)`.
        `--organization=${organization.replaceAll('$', '$$$$')}`,
        ...['--fairlead', fairleadUrl],
        ...['--host', '$(POD_IP)', '--port', `${probePort}`],
        ...certificateFlags,
        ...['--memory-mi', `${Math.floor(quantityBytes(limits.memory) / 1_048_576)}`],
        ...['--early-ms', `${(minReadySeconds + earlyMarginSeconds) * 1_000}`],
        ...(isLongRunning(options) ? ['--grace-ms', `${options.handlerSeconds * 1_000}`] : []),
        ...args,
      ],
      env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      mounts: [code, scratch, certificateMount, ...mounts],
      limits: { ...limits, ephemeralStorage: serveStorage },
      requests,
    }),
    ports: [
      { name: 'probes', containerPort: probePort },
      { name: 'events', containerPort: securePort },
    ],
    startupProbe: { ...probe, periodSeconds: 1, failureThreshold: 60 },
    readinessProbe: { ...probe, periodSeconds: 2, failureThreshold: 2 },
    livenessProbe: {
      httpGet: { path: '/livez', port: probePort },
      periodSeconds: 10,
      timeoutSeconds: 5,
      failureThreshold: 3,
      // A dead process is not given the time of its longest handler.
      terminationGracePeriodSeconds: 5,
    },
  };
}
