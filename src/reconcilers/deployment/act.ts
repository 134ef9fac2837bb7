// Performs exactly one decision about a provider.
import { type ConditionWanted, conditions, findCondition, Reason } from '../../crds/conditions.ts';
import { type Provider, providerFinalizer } from '../../crds/provider.ts';
import type { Digest } from '../../domain/artifact.ts';
import type { Clock } from '../../domain/clock.ts';
import { defaultTimeoutSeconds } from '../../domain/event.ts';
import { sha256Hex } from '../../domain/identity.ts';
import { canonicalJson, type JsonObject } from '../../domain/json.ts';
import type { PodScheduling } from '../../domain/pod-scheduling.ts';
import { serverNameOf } from '../../domain/serving-certificate.ts';
import {
  again,
  type Informer,
  type KubeClient,
  keyFor,
  type Outcome,
  settled,
  waitUntil,
} from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import type { Recorder } from '../../kube/recorder.ts';
import {
  type DeploymentOptions,
  deployment,
  deploymentSecrets,
} from '../../providers/workloads/deployment.ts';
import { disruptionBudget } from '../../providers/workloads/disruption.ts';
import { annotation, apiVersion, kinds, label } from '../../store/kinds.ts';
import { deploymentNameOf } from '../../store/providers/store.ts';
import { maskCredentials } from '../credentials.ts';
import { deploymentKind, secretKind } from '../workloads.ts';
import type { AppliedBook } from './applied.ts';
import { certificateFor, certificateOf } from './certificate.ts';
import type { Decision } from './decide.ts';
import { putBudget, removeBudget } from './disruption.ts';
import type { Deployment, Observed } from './observe.ts';
import type { Progress } from './progress.ts';
import { podSettingsOf } from './settings.ts';

type Status = NonNullable<Provider['status']>;

export interface ActDeps extends ManifestDeps {
  readonly client: KubeClient;
  readonly providers: Pick<Informer<Provider>, 'remember'>;
  readonly deployments: Pick<Informer<Deployment>, 'remember'>;
  readonly applied: Pick<AppliedBook, 'record'>;
  /** A token that reads one artifact, valid for as long as the version may run. */
  readonly downloadToken: (holder: string, digest: Digest) => Promise<string>;
  readonly recorder: Pick<Recorder, 'record'>;
}

/** Inputs of the manifest besides the observed state. */
export interface ManifestDeps {
  /** Image of Fairlead itself. */
  readonly image: string;
  /** Base URLs of the internal listener and of Fairlead, as pods reach them. */
  readonly artifactsUrl: string;
  readonly fairleadUrl: string;
  /** Id of the key that signs tokens: pods must not keep tokens of a replaced key. */
  readonly keyId: string;
  /** How long the pods of a version must be ready before it takes over. */
  readonly minReadySeconds: number;
  /** The current pull credentials of the image. */
  readonly pullConfig?: (() => string) | undefined;
  /** Set by the administrator for all pods of tenants. */
  readonly scheduling?: PodScheduling | undefined;
  readonly certificates: Certificates;
  readonly clock: Pick<Clock, 'now'>;
}

/** Signs the certificates with which pods serve events. */
export interface Certificates {
  /** Fingerprint of the authority that signs. */
  readonly signing: string;
  /** Milliseconds; default 90 days. */
  readonly lifeMs?: number | undefined;
  issue(wanted: {
    readonly name: string;
    readonly expiresAt: Date;
  }): Promise<{ readonly certificate: string; readonly key: string }>;
}

export function act(decision: Decision, observed: Observed, deps: ActDeps): Promise<Outcome> {
  switch (decision.do) {
    case 'nothing':
      return Promise.resolve(settled);
    case 'protect':
      return finalizers(observed, deps, (all) => [...all, providerFinalizer]);
    case 'release':
      return finalizers(observed, deps, (all) => all.filter((each) => each !== providerFinalizer));
    case 'apply':
      return apply(observed, deps);
    case 'wait':
      return Promise.resolve(waitUntil(new Date(deps.clock.now().getTime() + decision.ms)));
    case 'remove':
      return remove(observed, deps);
    case 'explain':
      return explain(decision.progress, observed, deps);
  }
}

async function finalizers(
  { provider: { metadata } }: Observed,
  { client, providers }: ActDeps,
  change: (all: readonly string[]) => readonly string[],
): Promise<Outcome> {
  const { name, namespace, uid, resourceVersion } = metadata;
  const wanted = change(metadata.finalizers ?? []);
  const patch = { metadata: { uid, resourceVersion, finalizers: wanted } };
  try {
    providers.remember(await client.patch<Provider>(kinds.provider, { name, namespace }, patch));
  } catch (thrown) {
    if (!hasReason(thrown, 'notFound')) throw thrown;
  }
  return again;
}

async function apply(observed: Observed, deps: ActDeps): Promise<Outcome> {
  const options = optionsFor(observed, deps);
  const { name, namespace, provider, artifactDigest, certificate } = options;
  const token = await deps.downloadToken(name, artifactDigest as Digest);
  const certified = await deps.certificates.issue({
    name: serverNameOf(namespace, provider),
    expiresAt: new Date(certificate.expiresAt),
  });
  // Secrets first: a pod without them would have to wait.
  for (const secret of deploymentSecrets(options, { token, certified })) {
    try {
      await deps.client.create(secretKind, secret);
    } catch (thrown) {
      if (!hasReason(thrown, 'alreadyExists')) throw thrown;
    }
  }
  await putBudget(deps.client, options, observed.deployment?.spec?.replicas ?? 0);
  const wanted = deployment(options);
  const manifest = manifestOf(observed, deps);
  const annotations = { [annotation.manifest]: manifest };
  const object = { ...wanted, metadata: { ...wanted.metadata, annotations } };
  const answer = await deps.client.apply<Deployment>(deploymentKind, object, {
    fieldManager: 'fairlead',
  });
  deps.applied.record(keyFor(observed.provider.metadata), manifest, answer);
  deps.deployments.remember(answer);
  // A write with a change triggers the next pass by the watch; a write without one does not.
  const before = observed.deployment?.metadata.resourceVersion;
  return answer.metadata.resourceVersion === before ? again : settled;
}

/** @returns a fingerprint of the wanted objects, which depend on the version and on the current image and addresses */
export function manifestOf(observed: Observed, deps: ManifestDeps): string {
  const options = optionsFor(observed, deps);
  const manifest = { deployment: deployment(options), budget: disruptionBudget(options) };
  return sha256Hex(canonicalJson(manifest as unknown as JsonObject)).slice(0, 32);
}

function optionsFor(observed: Observed, deps: ManifestDeps): DeploymentOptions {
  const { provider, organization, build } = observed;
  const { image, artifactsUrl, fairleadUrl, keyId, minReadySeconds, pullConfig, scheduling } = deps;
  const { signing: authority, lifeMs } = deps.certificates;
  const { metadata, spec } = provider;
  const { name, namespace = '', uid = '' } = metadata;
  const { version = '', replicas = 1, resources } = spec;
  const owned = deploymentNameOf(spec.provider);
  return {
    name: owned,
    namespace,
    labels: { [label.managedBy]: 'fairlead', [label.provider]: spec.provider },
    owner: { apiVersion, name, uid },
    provider: spec.provider,
    organization: organization?.spec.externalId ?? '',
    version,
    replicas,
    minReadySeconds,
    image,
    artifactsUrl,
    fairleadUrl,
    artifactDigest: build?.status?.artifact?.digest ?? '',
    // Unique to this Provider object: the Secret of a deleted one of the same name may still exist until its deletion.
    secretName: `${owned}-${version.replace('.', '-')}-${sha256Hex(`${uid}/${keyId}`).slice(0, 8)}`,
    certificate: certificateFor(observed, { authority, lifeMs }, deps.clock.now()),
    pullConfig: pullConfig?.(),
    handlerSeconds: handlerSecondsOf(build),
    settings: podSettingsOf({ provider, build }),
    resources,
    scheduling,
  };
}

function handlerSecondsOf(build: Observed['build']): number {
  const types = build?.status?.types ?? [];
  return Math.max(0, ...types.map((type) => type.timeoutSeconds ?? defaultTimeoutSeconds));
}

async function remove({ deployment: found }: Observed, { client }: ActDeps): Promise<Outcome> {
  const { name = '', namespace, uid = '' } = found?.metadata ?? {};
  await removeBudget(client, { name, namespace });
  await client.delete(deploymentKind, { name, namespace }, { uid });
  return settled;
}

async function explain(
  found: Progress,
  { provider, deployment: running }: Observed,
  { client, providers, recorder, clock }: ActDeps,
): Promise<Outcome> {
  // The output of a process before it ends may contain its configuration.
  const progress = { ...found, message: await maskCredentials(found.message) };
  const { metadata, spec, status } = provider;
  const { name, namespace = '', uid = '', resourceVersion = '', generation = 0 } = metadata;
  const previous = status?.conditions ?? [];
  const hosted = spec.version !== undefined;
  const now = clock.now();
  const next: Status = {
    observedGeneration: generation,
    ...(hosted
      ? {
          ...served(provider, progress, now),
          ...secured(progress, status, running),
          ...replicasOf(running),
          selector: selectorOf(provider),
        }
      : {}),
    conditions: conditions(wantedConditions(progress), { previous, generation, now }),
  };
  const same = canonicalJson(next as JsonObject) === canonicalJson((status ?? null) as JsonObject);
  if (same) return settled;
  const written = await client.replaceStatus<Provider>(kinds.provider, {
    apiVersion,
    kind: kinds.provider.kind,
    metadata: { name, namespace, uid, resourceVersion },
    status: next,
  });
  providers.remember(written);
  const news = newsOf(progress, status, next);
  if (news !== undefined) recorder.record({ kind: kinds.provider, metadata }, news);
  return settled;
}

/** @returns the news to record; undefined when they are recorded already */
function newsOf({ state, reason, message }: Progress, before: Provider['status'], next: Status) {
  const ready = findCondition(before?.conditions, 'Ready');
  const isNew = ready?.reason !== reason || before?.deployedVersion !== next.deployedVersion;
  if (!isNew) return undefined;
  const sameSpec = before?.observedGeneration === next.observedGeneration;
  const broke = ready?.status === 'True' && state !== 'available' && sameSpec;
  const isBad = state === 'failed' || reason === Reason.QuotaExceeded || broke;
  const type = isBad ? 'Warning' : 'Normal';
  return { type, reason, message } as const;
}

/** @returns the version that serves, or did last, and since when; the time changes only with the version */
function served({ spec, status }: Provider, progress: Progress, now: Date): Partial<Status> {
  const { deployedVersion, deployedAt } = status ?? {};
  const serves = progress.state === 'available' && spec.version !== undefined;
  if (serves && spec.version !== deployedVersion) {
    return { deployedVersion: spec.version, deployedAt: now.toISOString() };
  }
  return {
    ...(deployedVersion === undefined ? {} : { deployedVersion }),
    ...(deployedAt === undefined ? {} : { deployedAt }),
  };
}

/** Once it is set, events of this provider go only to pods with a certificate. */
function secured(
  { state }: Progress,
  before: Provider['status'],
  running: Observed['deployment'],
): Partial<Status> {
  const found = state === 'available' ? certificateOf(running)?.expiresAt : undefined;
  const certificateExpiresAt = found ?? before?.certificateExpiresAt;
  return certificateExpiresAt === undefined ? {} : { certificateExpiresAt };
}

function replicasOf(running: Observed['deployment']): Partial<Status> {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = running?.status ?? {};
  return { replicas, readyReplicas, availableReplicas };
}

/** As the subresource `scale` shows it: of pods that serve events, and not of those of builds. */
function selectorOf({ spec }: Provider): string {
  return `${label.provider}=${spec.provider},${label.version}`;
}

function wantedConditions({ state, reason, message }: Progress): readonly ConditionWanted[] {
  const ready = state === 'available' ? 'True' : 'False';
  const wanted: ConditionWanted[] = [{ type: 'Ready', status: ready, reason, message }];
  if (reason === Reason.Progressing) {
    wanted.push({ type: 'Reconciling', status: 'True', reason, message });
  }
  if (state === 'failed') wanted.push({ type: 'Stalled', status: 'True', reason, message });
  return wanted;
}
