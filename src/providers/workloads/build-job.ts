// Builds the Job manifest of a build: unpack (ours) → install (npm) → build (the author's code) → publish (ours), in one pod. Only
// the first and last hold a token, each for one object and one direction; install alone gets the registries of the organization,
// and the author's code holds none of these. Pure.
import type { PodScheduling } from '../../domain/providers/pod-scheduling.ts';
import { registriesName } from '../../domain/providers/registries.ts';
import {
  container,
  isolatedPod,
  messageFile,
  type ResourceLimits,
  scratch,
  tenantAccounts,
} from './pod.ts';
import { type PullConfig, pullSecret, pullSecretsOf } from './pull-secret.ts';

export interface BuildJobOptions {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The Build, which owns all objects. */
  readonly owner: { readonly name: string; readonly uid: string; readonly apiVersion: string };
  readonly provider: string;
  readonly image: string;
  /** Base URL of the internal listener, as pods reach it. */
  readonly artifactsUrl: string;
  readonly sourceDigest: string;
  readonly deadlineSeconds: number;
  /** The npm registry; npm's default if undefined. */
  readonly npmRegistry?: string | undefined;
  readonly pullConfig?: PullConfig;
  readonly scheduling?: PodScheduling | undefined;
}

export interface BuildTokens {
  readonly download: string;
  /** Uploads the built code. */
  readonly upload: string;
  /** Uploads the types document. */
  readonly types: string;
}

const workspace = { name: 'workspace', mountPath: '/workspace' };
/** Optional: most organizations have none. */
const registries = {
  volume: {
    name: 'registries',
    secret: { secretName: registriesName, optional: true, defaultMode: 0o440 },
  },
  mount: { name: 'registries', mountPath: '/run/fairlead/registries', readOnly: true },
};
const buildLimits: ResourceLimits = { cpu: '2', memory: '1Gi', ephemeralStorage: '2Gi' };
const stepLimits: ResourceLimits = { cpu: '1', memory: '256Mi', ephemeralStorage: '1Gi' };

/** The Build's history removes finished Jobs; this covers Jobs whose controller is gone. */
const finishedSeconds = 24 * 60 * 60;

/** How long a pod may wait for a node with free capacity. */
const schedulingSeconds = 10 * 60;

function jobMetadata({ name, namespace, labels, owner }: BuildJobOptions) {
  const reference = { ...owner, kind: 'Build', controller: true, blockOwnerDeletion: true };
  return { name, namespace, labels: { ...labels }, ownerReferences: [reference] };
}

/** @returns the Secret with the tokens of one build, and its pull secret; both are deleted with the Build */
export function buildSecrets(options: BuildJobOptions, tokens: BuildTokens) {
  const { pullConfig } = options;
  const own = buildSecret(options, tokens);
  return pullConfig === undefined ? [own] : [own, pullSecret(own.metadata, pullConfig)];
}

function buildSecret(options: BuildJobOptions, tokens: BuildTokens) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: jobMetadata(options),
    type: 'Opaque',
    immutable: true,
    stringData: { ...tokens },
  };
}

/** @returns the Job of one build */
export function buildJob(options: BuildJobOptions) {
  const { name, labels, image, provider, artifactsUrl, sourceDigest, deadlineSeconds } = options;
  const { npmRegistry, pullConfig } = options;
  const words = ['--workspace', '/workspace', '--message-file', messageFile];
  const place = ['--url', artifactsUrl, ...words];
  const token = (key: keyof BuildTokens, variable = 'FAIRLEAD_ARTIFACTS_TOKEN') => ({
    name: variable,
    valueFrom: { secretKeyRef: { name, key } },
  });
  const step = { image, mounts: [workspace, scratch] };
  // Takes precedence over the author's `.npmrc`; npm also uses it for lock file URLs of registry.npmjs.org.
  const npmEnvironment =
    npmRegistry === undefined ? [] : [{ name: 'npm_config_registry', value: npmRegistry }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: jobMetadata(options),
    spec: {
      // A failed build fails again; the author pushes a new version.
      backoffLimit: 0,
      // On the Job only as a backstop: its deadline deletes the pod and its log.
      activeDeadlineSeconds: deadlineSeconds + schedulingSeconds,
      ttlSecondsAfterFinished: finishedSeconds,
      template: {
        metadata: { labels: { ...labels } },
        spec: {
          ...isolatedPod,
          ...options.scheduling,
          ...pullSecretsOf(name, pullConfig),
          serviceAccountName: tenantAccounts.build,
          restartPolicy: 'Never',
          activeDeadlineSeconds: deadlineSeconds,
          terminationGracePeriodSeconds: 5,
          volumes: [
            { name: workspace.name, emptyDir: { sizeLimit: '2Gi' } },
            { name: scratch.name, emptyDir: { sizeLimit: '1Gi' } },
            registries.volume,
          ],
          initContainers: [
            container({
              ...step,
              name: 'unpack',
              program: 'build-step',
              args: ['unpack', ...place, '--digest', sourceDigest],
              env: [token('download')],
              limits: stepLimits,
            }),
            container({
              ...step,
              name: 'install',
              program: 'build-step',
              args: ['install', ...words, '--registries', registries.mount.mountPath],
              mounts: [...step.mounts, registries.mount],
              env: npmEnvironment,
              limits: buildLimits,
            }),
            container({
              ...step,
              name: 'build',
              program: 'build-step',
              args: ['build', ...words, '--provider', provider],
              env: npmEnvironment,
              limits: buildLimits,
            }),
          ],
          containers: [
            container({
              ...step,
              name: 'publish',
              program: 'build-step',
              args: ['publish', ...place],
              env: [token('upload'), token('types', 'FAIRLEAD_TYPES_TOKEN')],
              limits: stepLimits,
            }),
          ],
        },
      },
    },
  };
}
