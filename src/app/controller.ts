// Starts the part that reconciles while it is the leader.

import type { Digest } from '../domain/providers/artifact.ts';
import { createDispatcher } from '../events/dispatch.ts';
import { tracedDispatch } from '../events/traced.ts';
import type { Informer } from '../kube/api.ts';
import type { ClusterAccess } from '../kube/config.ts';
import { refreshAll } from '../kube/informer/refresh.ts';
import { shardOf } from '../kube/leader/shards.ts';
import { createArtifactCollection } from '../reconcilers/artifacts/index.ts';
import { keyId } from '../store/event-keys.ts';
import { annotation } from '../store/kinds.ts';
import { joinReplicas, type Replicas } from '../store/replicas.ts';
import { type Caches, partialCaches } from './caches.ts';
import type { AppContext } from './context.ts';
import { createControllers } from './controllers/controllers.ts';
import { keepLeading, type Leading } from './controllers/leader.ts';
import { clusterCidrsOf, destinationRules } from './destinations.ts';
import { type Authorities, authoritiesInUse, openAuthorities } from './keys/authorities.ts';
import { createKeyRetention } from './keys/key-retention.ts';
import { keepPlanKey } from './keys/plan-key.ts';
import type { Signing } from './keys/signing.ts';
import type { PodAddresses, ServiceSettings, WorkloadSettings } from './settings.ts';

/** Starts to campaign for the Lease. */
export async function startController(
  stack: AsyncDisposableStack,
  context: AppContext & { readonly signing: Signing },
  cluster: Pick<ClusterAccess, 'server'>,
): Promise<Leading> {
  const { settings, kubeDeps, caches, schemas, measuring, signing, tracer } = context;
  const { clock, log } = kubeDeps;
  const clusterCidrs = await clusterCidrsOf(context, cluster);
  const authorities = await openAuthorities({
    ...kubeDeps,
    namespace: settings.systemNamespace,
    inUse: () => authoritiesInUse(caches),
  });
  stack.defer(() => authorities.stop());
  await keepPlanKey({ ...kubeDeps, namespace: settings.systemNamespace });
  const dispatcher = createDispatcher({
    signer: signing.signer,
    clock,
    log,
    timeoutMs: settings.eventTimeoutMs,
    ...destinationRules(settings, { ...cluster, clusterCidrs }),
    authorities: () => authorities.trusted,
  });
  stack.defer(() => dispatcher.close());
  const work = workOf(settings.workloads, {
    ...context,
    tokens: signing.tokens,
    authorities,
  });
  const dispatch = measuring.dispatch(tracedDispatch(tracer, dispatcher.dispatch));
  const { shards = 1, identity, systemNamespace: namespace } = settings;
  const collection = collectionOf(context);
  const replicas = shards === 1 ? undefined : await joinAll(stack, context);
  const isKeyInUse = createKeyRetention(clock, () => keyIdsOf(replicas));
  // The leader of the first shard removes the keys of processes that have ended.
  const keepsKey = (shard: number) => {
    if (shards === 1) return undefined;
    return shard === 0 ? isKeyInUse : () => true;
  };
  const leading = keepLeading({
    kubeDeps,
    namespace,
    identity,
    shards,
    members: () => new Set(replicas?.members.keys() ?? [identity]),
    async prepare(shard, guarded, signal) {
      await Promise.all([
        signing.publish(guarded, signal, keepsKey(shard)),
        refreshAll(deciding(caches), { timeoutMs: refreshMs, signal }),
      ]);
    },
    controllers: ({ shard, guarded, requireLead }) => [
      ...createControllers(guarded, cachesOf(caches, shard, shards), {
        ...settings,
        ...work,
        shard,
        workers: workersOf(settings, replicas?.count ?? 1),
        tenancy: { ...settings.tenancy, clusterCidrs },
        schemas,
        dispatch: async (event, endpoint, signal) => {
          requireLead();
          return await dispatch(event, endpoint, signal);
        },
        meter: measuring.controllers,
        tracer,
      }),
      ...(shard === 0 ? collection(requireLead) : []),
    ],
  });
  stack.defer(() => leading.stop());
  return leading;
}

/**
 * A process that could not read what its predecessor did gives the Lease back after this long, and another one may try. Twice
 * the longest answer of a busy API server.
 */
const refreshMs = 20_000;

/** The caches that decide about effects without a resourceVersion: deliveries, applied Deployments, deletions. */
function deciding(caches: Caches): readonly Pick<Informer<never>, 'start' | 'refresh'>[] {
  const { organizations, namespaces, projects, definitions, providers, resources } = caches;
  const { builds, jobs, pods, deployments, deadLetters, redrives } = caches;
  const declared = [organizations, namespaces, projects, definitions, providers, resources];
  return [...declared, builds, jobs, pods, deployments, deadLetters, redrives];
}

/** Returns the garbage collection of artifacts, which needs the caches of the whole cluster. */
function collectionOf({ settings, kubeDeps, caches, artifacts, measuring }: AppContext) {
  const { collection, systemNamespace } = settings;
  if (collection === undefined) return () => [];
  const { log } = kubeDeps;
  const deps = { settings: collection, observer: measuring.collection(), systemNamespace, log };
  return (requireLead: () => void) => [
    createArtifactCollection({ ...deps, caches, artifacts, requireLead }),
  ];
}

/** Makes this process one of those that share the shards. */
async function joinAll(
  stack: AsyncDisposableStack,
  { kubeDeps, settings, signing }: AppContext & { readonly signing: Signing },
): Promise<Replicas> {
  const replicas = await joinReplicas({
    ...kubeDeps,
    namespace: settings.systemNamespace,
    identity: settings.identity,
    part: 'controller',
    annotations: { [annotation.eventKey]: signing.publicKeys.map(keyId).join(' ') },
  });
  stack.defer(() => replicas.stop());
  return replicas;
}

/** The workers of one shard, where this process leads an even share of them. */
function workersOf({ workers, shards = 1 }: ServiceSettings, processes: number): number {
  return Math.ceil(workers / Math.ceil(shards / processes));
}

function keyIdsOf(replicas: Replicas | undefined): ReadonlySet<string> {
  const members = [...(replicas?.members.values() ?? [])];
  return new Set(members.flatMap((each) => each[annotation.eventKey]?.split(' ') ?? []));
}

function cachesOf(caches: Caches, shard: number, shards: number): Caches {
  if (shards === 1) return caches;
  return partialCaches(caches, (namespace) => shardOf(namespace, shards) === shard);
}

const captureMs = 30_000;
/** Covers a build that waits in the queue of its node and then uses its whole time limit. */
const buildTokenSeconds = 24 * 60 * 60;
/** Pods fetch the code of a version whenever they are rescheduled; the token only reads that code. */
const versionTokenSeconds = 10 * 365 * 24 * 60 * 60;
const maxBuiltBytes = 512 * 1_048_576;
const maxTypesBytes = 1_048_576;

/** Returns what the reconcilers of builds and deployments need besides the caches. */
function workOf(
  settings: WorkloadSettings,
  {
    artifacts,
    tokens,
    buildLogs,
    authorities,
  }: Pick<AppContext, 'artifacts' | 'buildLogs'> &
    Pick<Signing, 'tokens'> & { readonly authorities: Authorities },
) {
  const { minReadySeconds, pullConfig, scheduling } = settings;
  const image = required('image', settings.image);
  const artifactsUrl = required('artifactsUrl', settings.artifactsUrl);
  const fairleadUrl = required('fairleadUrl', settings.fairleadUrl);
  const download = (holder: string, digest: Digest, seconds: number) =>
    tokens.sign(holder, { direction: 'download', digest }, seconds);
  const upload = (holder: string, maxBytes: number) =>
    tokens.sign(holder, { direction: 'upload', maxBytes }, buildTokenSeconds);
  return {
    builds: {
      artifacts,
      image,
      artifactsUrl,
      pullConfig,
      scheduling,
      settings: settings.builds,
      tokens: async (build: string, source: Digest) => ({
        download: await download(build, source, buildTokenSeconds),
        upload: await upload(build, maxBuiltBytes),
        types: await upload(build, maxTypesBytes),
      }),
      captureLog: ({ namespace, name }: { namespace: string; name: string }) =>
        buildLogs.capture(namespace, name, AbortSignal.timeout(captureMs)),
    },
    deployments: {
      image,
      artifactsUrl,
      fairleadUrl,
      keyId: tokens.keyId,
      minReadySeconds,
      pullConfig,
      scheduling,
      certificates: authorities,
      downloadToken: (holder: string, digest: Digest) =>
        download(holder, digest, versionTokenSeconds),
    },
  };
}

/** The API runs without these settings, so their types allow undefined. */
function required(name: keyof PodAddresses, value: string | undefined): string {
  if (value === undefined) throw new TypeError(`The controller requires workloads.${name}`);
  return value;
}
