// The store of providers: wanted version, running version and health.

import { findCondition } from '../../crds/conditions.ts';
import { type Provider, providerFinalizer } from '../../crds/provider.ts';
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import type { DeploymentState } from '../../domain/providers/deployment.ts';
import type { PodResources } from '../../domain/providers/pod-resources.ts';
import type { Informer, KubeClient } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import { annotation, apiVersion, kinds } from '../kinds.ts';
import { maxRounds, put, read, type StoreDeps } from '../put.ts';
import { iso } from '../resources/state.ts';
import {
  type CorrectionsHeld,
  correctionsHeldOf,
  providerChanging,
  releaseHeldCorrections,
} from './corrections.ts';
import { createProviderGate, providerDeleting } from './gate.ts';
import { withProcessEnds } from './process-ends.ts';
import { rollbackVersionOf } from './rollback.ts';
import { servingVersionOf } from './type-in-force.ts';

/** Resources whose configs the types of a version would reject. */
export interface Incompatible {
  readonly version: string;
  readonly count: number;
  /** Ids of the first of them. */
  readonly ids: readonly string[];
}

interface Deployed {
  readonly version: string;
  readonly incompatible?: Incompatible | undefined;
  /** Undefined keeps the number, which an autoscaler may have set. */
  readonly replicas?: number | undefined;
  /** Undefined keeps them; without members they are the default. */
  readonly resources?: PodResources | undefined;
}

export interface ProviderRecord {
  readonly provider: string;
  /** The wanted version; undefined for an external provider or one that was never deployed. */
  readonly version: string | undefined;
  /** The last version that served, other than the wanted one: a rollback deploys it. */
  readonly previousVersion: string | undefined;
  /** The version that gets events; undefined before the first one does, and for an external provider. */
  readonly servingVersion: string | undefined;
  /** Endpoint of an external provider. */
  readonly endpoint: string | undefined;
  readonly state: DeploymentState;
  readonly message: string;
  /** Result of the check when the version was deployed. */
  readonly incompatible: Incompatible | undefined;
  /** The wanted number of pods; 0 when Fairlead runs none. */
  readonly replicas: number;
  /** Undefined for the default. */
  readonly resources: PodResources | undefined;
  readonly availableReplicas: number;
  readonly readyReplicas: number;
  /** Undefined while objects that differ may be corrected. */
  readonly correctionsHeld: CorrectionsHeld | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface DeployPreview {
  /** `none`: the version is deployed already. */
  readonly change: 'create' | 'update' | 'none';
  /** As it would be. */
  readonly record: ProviderRecord;
}

export interface ProviderStore {
  /** Sorted by name. */
  list(organization: Organization): Promise<readonly ProviderRecord[]>;
  find(organization: Organization, provider: string): Promise<ProviderRecord | undefined>;
  /**
   * Sets the wanted version; the running version stays until the new one is ready.
   * @throws FairleadError `conflict` for an external provider, `provider_deleting`
   */
  deploy(organization: Organization, provider: string, deployed: Deployed): Promise<ProviderRecord>;
  /** Decides like `deploy` and writes nothing. @throws the errors of `deploy` */
  previewDeploy(
    organization: Organization,
    provider: string,
    deployed: Deployed,
  ): Promise<DeployPreview>;
  /**
   * Releases held corrections; does nothing when none are held.
   * @returns undefined when there is no such provider
   */
  releaseCorrections(
    organization: Organization,
    provider: string,
  ): Promise<ProviderRecord | undefined>;
  /** @throws FairleadError `provider_deleting` */
  requireOpen(organization: Organization, provider: string): Promise<void>;
  /** Also succeeds when there is none. */
  remove(organization: Organization, provider: string): Promise<void>;
}

/** @returns the name of the Deployment of a provider */
export function deploymentNameOf(provider: string): string {
  return `provider-${provider}`;
}

interface ProviderStoreDeps extends StoreDeps {
  /** For what is shown beside the status of a provider. */
  readonly resources: Pick<Informer<Resource>, 'items'>;
}

export function createProviderStore({
  client,
  clock,
  resources,
}: ProviderStoreDeps): ProviderStore {
  const gate = createProviderGate({ client, known: () => undefined });
  return {
    list: async ({ namespace }) => {
      const { items } = await client.list<Provider>(kinds.provider, { namespace });
      return items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(providerRecordOf)
        .map(withProcessEnds(resources.items(namespace)))
        .sort((left, right) => (left.provider < right.provider ? -1 : 1));
    },
    find: async ({ namespace }, name) => {
      const found = await read<Provider>(client, kinds.provider, { namespace, name });
      return found?.metadata.deletionTimestamp === undefined && found !== undefined
        ? withProcessEnds(resources.items(namespace))(providerRecordOf(found))
        : undefined;
    },
    requireOpen: (organization, provider) => gate.requireOpen(organization, provider),
    deploy: (organization, provider, deployed) =>
      setDeployed(client, organization, { provider, ...deployed }),
    previewDeploy: (organization, provider, deployed) =>
      previewDeploy({ client, clock }, organization, { provider, ...deployed }),
    releaseCorrections: async (organization, provider) => {
      const found = await releaseHeldCorrections(client, organization, provider);
      return found && providerRecordOf(found);
    },
    remove: async ({ namespace }, name) => {
      try {
        await client.delete(kinds.provider, { namespace, name });
      } catch (thrown) {
        if (!hasReason(thrown, 'notFound')) throw thrown;
      }
    },
  };
}

async function setDeployed(
  client: KubeClient,
  { namespace }: Organization,
  { provider, ...deployed }: { provider: string } & Deployed,
): Promise<ProviderRecord> {
  const ref = { namespace, name: provider };
  for (let round = 0; round < maxRounds; round += 1) {
    const existing = await read<Provider>(client, kinds.provider, ref);
    refuseUnlessOurs(existing, provider);
    const wanted = wantedOf(existing, ref, deployed);
    const isRunning = existing !== undefined && hasSameSpec(existing, wanted);
    if (isRunning && isRecorded(existing, deployed.incompatible)) return providerRecordOf(existing);
    const written = await put<Provider>(client, kinds.provider, wanted);
    if (written !== undefined) return providerRecordOf(written);
  }
  throw providerChanging();
}

async function previewDeploy(
  { client, clock }: StoreDeps,
  { namespace }: Organization,
  { provider, ...deployed }: { provider: string } & Deployed,
): Promise<DeployPreview> {
  const ref = { namespace, name: provider };
  const existing = await read<Provider>(client, kinds.provider, ref);
  refuseUnlessOurs(existing, provider);
  const wanted = wantedOf(existing, ref, deployed);
  const before = existing?.spec.version;
  if (existing !== undefined && hasSameSpec(existing, wanted))
    return { change: 'none', record: providerRecordOf(wanted) };
  const { generation = 0, creationTimestamp = clock.now().toISOString() } = wanted.metadata;
  // Its status is that of the generation before.
  const metadata = { ...wanted.metadata, creationTimestamp, generation: generation + 1 };
  const change = before === undefined ? 'create' : 'update';
  return { change, record: providerRecordOf({ ...wanted, metadata }) };
}

function refuseUnlessOurs(existing: Provider | undefined, provider: string): void {
  if (existing === undefined) return;
  if (existing.metadata.deletionTimestamp !== undefined) {
    throw providerDeleting(provider);
  }
  if (existing.spec.endpoint !== undefined) {
    const message = `Provider ${provider} runs elsewhere; its endpoint must be removed first`;
    throw new FairleadError('conflict', message);
  }
}

function wantedOf(
  existing: Provider | undefined,
  ref: { namespace: string; name: string },
  deployed: Deployed,
): Provider {
  const wanted = withDeployedVersion(existing, ref, deployed.version);
  return withIncompatible({ ...wanted, spec: sized(wanted.spec, deployed) }, deployed.incompatible);
}

function sized(spec: Provider['spec'], { replicas, resources }: Deployed): Provider['spec'] {
  const { resources: before, ...others } = spec;
  const kept = resources ?? before;
  const isDefault = kept?.limits === undefined && kept?.requests === undefined;
  return {
    ...others,
    ...(replicas === undefined ? {} : { replicas }),
    ...(isDefault ? {} : { resources: kept as Provider['spec']['resources'] }),
  } as Provider['spec'];
}

function hasSameSpec(before: Provider, after: Provider): boolean {
  return canonicalJson(before.spec as JsonObject) === canonicalJson(after.spec as JsonObject);
}

function withDeployedVersion(
  existing: Provider | undefined,
  { namespace, name }: { namespace: string; name: string },
  version: string,
): Provider {
  if (existing === undefined) {
    const metadata = { name, namespace, finalizers: [providerFinalizer] };
    const head = { apiVersion, kind: kinds.provider.kind, metadata };
    return { ...head, spec: { provider: name, version } } as Provider;
  }
  return { ...existing, spec: { ...existing.spec, version } };
}

function isRecorded({ metadata }: Provider, incompatible: Incompatible | undefined): boolean {
  return metadata.annotations?.[annotation.incompatible] === incompatibleText(incompatible);
}

function incompatibleText(incompatible: Incompatible | undefined): string | undefined {
  return incompatible === undefined ? undefined : canonicalJson({ ...incompatible });
}

/** In the same write as the version: readers would trust a list of another version. */
function withIncompatible(provider: Provider, incompatible: Incompatible | undefined): Provider {
  const { [annotation.incompatible]: _before, ...others } = provider.metadata.annotations ?? {};
  const text = incompatibleText(incompatible);
  const annotations = text === undefined ? others : { ...others, [annotation.incompatible]: text };
  return { ...provider, metadata: { ...provider.metadata, annotations } };
}

/** Anybody who may edit the object can write annotations. */
function incompatibleIn({ metadata }: Provider): Incompatible | undefined {
  const text = metadata.annotations?.[annotation.incompatible];
  if (text === undefined) return undefined;
  try {
    const { version, count, ids } = JSON.parse(text) as Partial<Record<string, unknown>>;
    if (typeof version !== 'string' || !Array.isArray(ids)) return undefined;
    const texts = ids.filter((each) => typeof each === 'string').slice(0, 100);
    const known = typeof count === 'number' && Number.isSafeInteger(count) ? count : 0;
    return { version, count: Math.max(known, texts.length), ids: texts };
  } catch {
    return undefined;
  }
}

/** @returns the record of a stored Provider */
export function providerRecordOf({ metadata, spec, status }: Provider): ProviderRecord {
  const ready = findCondition(status?.conditions, 'Ready');
  const current = status?.observedGeneration === metadata.generation ? ready : undefined;
  return {
    provider: spec.provider,
    version: spec.version,
    previousVersion: rollbackVersionOf({ spec, status }),
    servingVersion: servingVersionOf({ spec, status })?.version,
    endpoint: spec.endpoint,
    incompatible: incompatibleIn({ metadata, spec }),
    state: stateFrom(current, findCondition(status?.conditions, 'Stalled') !== undefined),
    message: current?.message ?? '',
    replicas: spec.version === undefined ? 0 : (spec.replicas ?? 1),
    resources: spec.resources,
    availableReplicas: status?.availableReplicas ?? 0,
    readyReplicas: status?.readyReplicas ?? 0,
    correctionsHeld: correctionsHeldOf({ spec, status }),
    createdAt: iso(metadata.creationTimestamp),
    updatedAt: iso(ready?.lastTransitionTime ?? metadata.creationTimestamp),
  };
}

function stateFrom(ready: { status: string } | undefined, stalled: boolean): DeploymentState {
  if (ready === undefined) return 'pending';
  if (ready.status === 'True') return 'available';
  return stalled ? 'failed' : 'progressing';
}
