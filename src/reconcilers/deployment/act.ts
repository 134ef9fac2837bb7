// Performs exactly one decision about a provider.
import type { Build } from '../../crds/build.ts';
import { conditions, findCondition, Reason } from '../../crds/conditions.ts';
import { type Provider, providerFinalizer } from '../../crds/provider.ts';
import { maskCredentials } from '../../credentials/mask.ts';
import type { Digest } from '../../domain/providers/artifact.ts';
import { serverNameOf } from '../../domain/providers/serving-certificate.ts';
import {
  again,
  type Informer,
  type KubeClient,
  keyFor,
  type ObjectRef,
  type Outcome,
  settled,
  waitUntil,
} from '../../kube/api.ts';
import { hasReason, unlessExists } from '../../kube/errors.ts';
import type { Recorder } from '../../kube/recorder.ts';
import type { Clock } from '../../lib/clock.ts';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import {
  type DeploymentOptions,
  deployment,
  deploymentSecrets,
  secretMetadataOf,
} from '../../providers/workloads/deployment.ts';
import { disruptionBudget } from '../../providers/workloads/disruption.ts';
import {
  certificateSecret,
  certificateTemplate,
} from '../../providers/workloads/serving-certificate.ts';
import { withdraw } from '../../store/builds/withdraw.ts';
import { annotation, apiVersion, kinds, label } from '../../store/kinds.ts';
import { removeTypesOf } from '../../store/providers/remove-types.ts';
import { unreleasedConditions } from '../observation/mass-guard.ts';
import { type Deployment, deploymentKind, disruptionBudgetKind, secretKind } from '../workloads.ts';
import type { AppliedBook } from './applied.ts';
import { certificateOf, certificateOfPod, newCertificateFor, withName } from './certificate.ts';
import { type ChangeTypesDeps, changeTypes } from './change-types.ts';
import { findingConditions, progressConditions } from './conditions.ts';
import type { Decision } from './decide.ts';
import { certificateSettings, type ManifestDeps, manifestText, optionsFor } from './manifest.ts';
import type { Observed } from './observe.ts';
import type { Progress } from './progress.ts';
import { servingPods } from './renewal.ts';

type Status = NonNullable<Provider['status']>;

export interface ActDeps extends ManifestDeps, ChangeTypesDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly providers: Pick<Informer<Provider>, 'remember'>;
  readonly builds: Pick<Informer<Build>, 'items'>;
  readonly deployments: Pick<Informer<Deployment>, 'remember'>;
  readonly applied: Pick<AppliedBook, 'record'>;
  /** A token that reads one artifact, valid for as long as the version may run. */
  readonly downloadToken: (holder: string, digest: Digest) => Promise<string>;
  readonly recorder: Pick<Recorder, 'record'>;
}

export function act(decision: Decision, observed: Observed, deps: ActDeps): Promise<Outcome> {
  switch (decision.do) {
    case 'nothing':
      return Promise.resolve(settled);
    case 'protect':
      return finalizers(observed, deps, (all) => [...all, providerFinalizer]);
    case 'release':
      return release(observed, deps);
    case 'apply':
      return apply(observed, deps);
    case 'wait':
      return Promise.resolve(waitUntil(new Date(deps.clock.now().getTime() + decision.ms)));
    case 'changeTypes':
      return changeTypes(decision.changes, observed, deps);
    case 'renew':
      return renew(observed, deps);
    case 'renewServing':
      return apply(servingOf(observed), deps);
    case 'remove':
      return remove(observed, deps);
    case 'explain':
      return explain(decision.progress, observed, deps);
  }
}

/** Builds and types first: after the removal, nothing would lead to them. */
async function release(observed: Observed, deps: ActDeps): Promise<Outcome> {
  const { namespace = '' } = observed.provider.metadata;
  const { provider, version } = observed.provider.spec;
  const all = [...deps.builds.items(namespace)];
  await withdraw(
    all.filter(({ spec }) => spec.provider === provider),
    deps,
  );
  // The types of a provider that runs elsewhere are registered, and unregistered, by requests.
  if (version !== undefined) await removeTypesOf(deps.client, { namespace, provider });
  return await finalizers(observed, deps, (all) =>
    all.filter((each) => each !== providerFinalizer),
  );
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
    return settled;
  }
  return again;
}

async function apply(observed: Observed, deps: ActDeps): Promise<Outcome> {
  const options = optionsFor(observed, deps);
  const token = await deps.downloadToken(options.name, options.artifactDigest as Digest);
  const certified = await certify(options, deps);
  // Secrets first: a pod without them would have to wait.
  for (const secret of deploymentSecrets(options, { token, certified })) {
    await unlessExists(() => deps.client.create(secretKind, secret));
  }
  await putBudget(deps.client, options, observed.deployment?.spec?.replicas ?? 0);
  const wanted = deployment(options);
  const manifest = manifestText(observed, deps);
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

/** As if the version that serves were wanted. */
function servingOf(observed: Observed): Observed {
  const { provider, serving, build } = observed;
  const { deployedVersion: version = '' } = provider.status ?? {};
  return {
    ...observed,
    provider: { ...provider, spec: { ...provider.spec, version } },
    build: version === provider.spec.version ? build : serving,
  };
}

/**
 * Applies the fields of the certificate only, under a name of its own, because the rest of what runs is not known any more: its
 * settings or its Build may be gone. The next apply of everything takes the fields back.
 */
async function renew(observed: Observed, deps: ActDeps): Promise<Outcome> {
  const { deployment: running } = observed;
  const held = certificateOf(running);
  if (running === undefined || held === undefined) return settled;
  const serving = servingOf(observed);
  const { provider } = serving;
  const certificate = newCertificateFor(provider, certificateSettings(deps), deps.clock.now());
  const { name, namespace, uid, resourceVersion } = running.metadata;
  const options = { ...optionsFor(serving, deps), certificate };
  const secret = certificateSecret(
    secretMetadataOf(options),
    certificate,
    await certify(options, deps),
  );
  await unlessExists(() => deps.client.create(secretKind, secret));
  // Otherwise what was applied would look different from what is wanted, only for its certificate.
  const isWanted =
    running.metadata.annotations?.[annotation.manifest] ===
    manifestText(observed, deps, withName(provider, held));
  const annotations = { [annotation.manifest]: manifestText(observed, deps, certificate) };
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, uid, resourceVersion, ...(isWanted && { annotations }) },
    spec: { template: certificateTemplate(certificate) },
  };
  const fieldManager = 'fairlead-certificates';
  deps.deployments.remember(
    await deps.client.apply(deploymentKind, object as never, { fieldManager }),
  );
  return settled;
}

function certify({ namespace, provider, certificate }: DeploymentOptions, deps: ActDeps) {
  const expiresAt = new Date(certificate.expiresAt);
  return deps.certificates.issue({ name: serverNameOf(namespace, provider), expiresAt });
}

async function remove({ deployment: found }: Observed, { client }: ActDeps): Promise<Outcome> {
  const { name = '', namespace, uid = '' } = found?.metadata ?? {};
  await removeBudget(client, { name, namespace });
  await client.delete(deploymentKind, { name, namespace }, { uid });
  return settled;
}

async function explain(
  found: Progress,
  observed: Observed,
  { client, providers, recorder, clock }: ActDeps,
): Promise<Outcome> {
  const { provider, deployment: running } = observed;
  // The output of a process before it ends may contain its configuration.
  const progress = { ...found, message: await maskCredentials(found.message) };
  const { metadata, spec, status } = provider;
  const { name, namespace = '', uid = '', resourceVersion = '', generation = 0 } = metadata;
  const previous = unreleasedConditions(provider);
  const hosted = spec.version !== undefined;
  const now = clock.now();
  const findings = findingConditions(observed);
  const next: Status = {
    observedGeneration: generation,
    ...(hosted
      ? {
          ...served(observed, progress, now),
          ...secured(progress, observed),
          ...replicasOf(running),
          selector: podSelector(provider),
        }
      : {}),
    conditions: conditions([...progressConditions(progress), ...findings], {
      previous,
      generation,
      now,
    }),
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
  for (const { type, reason, message } of findings) {
    if (findCondition(previous, type) !== undefined) continue;
    recorder.record({ kind: kinds.provider, metadata }, { type: 'Warning', reason, message });
  }
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

/** @returns the version that serves, or did last, since when, and the one before it; they change only with the version */
function served(
  { provider: { spec, status }, build }: Observed,
  progress: Progress,
  now: Date,
): Partial<Status> {
  const { deployedVersion, deployedAt, previousVersion, concurrency } = status ?? {};
  const serves = progress.state === 'available' && spec.version !== undefined;
  if (serves && spec.version !== deployedVersion) {
    const declared = build?.status?.concurrency;
    return {
      deployedVersion: spec.version,
      deployedAt: now.toISOString(),
      ...(deployedVersion === undefined ? {} : { previousVersion: deployedVersion }),
      ...(declared === undefined ? {} : { concurrency: declared }),
    };
  }
  return {
    ...(deployedVersion === undefined ? {} : { deployedVersion }),
    ...(deployedAt === undefined ? {} : { deployedAt }),
    ...(previousVersion === undefined ? {} : { previousVersion }),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
}

function secured({ state }: Progress, observed: Observed): Partial<Status> {
  const held =
    state === 'available'
      ? [certificateOf(observed.deployment)]
      : servingPods(observed).map(certificateOfPod);
  const found = held
    .flatMap((each) => each?.expiresAt ?? [])
    .sort()
    .at(-1);
  const certificateExpiresAt = found ?? observed.provider.status?.certificateExpiresAt;
  return certificateExpiresAt === undefined ? {} : { certificateExpiresAt };
}

function replicasOf(running: Observed['deployment']): Partial<Status> {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = running?.status ?? {};
  return { replicas, readyReplicas, availableReplicas };
}

/** As the subresource `scale` shows it: of pods that serve events, and not of those of builds. */
function podSelector({ spec }: Provider): string {
  return `${label.provider}=${spec.provider},${label.version}`;
}

// Keeps the PodDisruptionBudget of a provider, which exists while several pods are wanted.

/** @param before number of pods that were wanted */
async function putBudget(
  client: Pick<KubeClient, 'apply' | 'delete'>,
  options: DeploymentOptions,
  before: number,
): Promise<void> {
  if (options.replicas > 1) {
    await client.apply(disruptionBudgetKind, disruptionBudget(options), {
      fieldManager: 'fairlead',
    });
  } else if (before > 1) {
    await removeBudget(client, options);
  }
}

async function removeBudget(
  client: Pick<KubeClient, 'delete'>,
  { name, namespace }: ObjectRef,
): Promise<void> {
  try {
    await client.delete(disruptionBudgetKind, { name, namespace });
  } catch (thrown) {
    if (!hasReason(thrown, 'notFound')) throw thrown;
  }
}
