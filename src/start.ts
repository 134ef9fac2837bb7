// Starts the whole service on a cluster: definitions, keys, caches, reconcilers, HTTP. What is started first is stopped last.
import { setTimeout as pause } from 'node:timers/promises';
import { createControllers } from './controllers.ts';
import { crdManifests } from './crds/manifest.ts';
import type { ArtifactStore, Digest } from './domain/artifact.ts';
import { type Clock, systemClock } from './domain/clock.ts';
import type { Log } from './domain/log.ts';
import type { RetryPolicy } from './domain/retry.ts';
import { createDispatcher } from './events/dispatch.ts';
import { createSigner, generateEventKey } from './events/sign.ts';
import { type ArtifactTokens, createArtifactTokens } from './http/artifact-tokens.ts';
import {
  type Authenticator,
  createAuthenticator,
  type IssuerSettings,
} from './http/authenticate.ts';
import { createInternalApp } from './http/internal.ts';
import { listen } from './http/listen.ts';
import { createRateLimiter, type RateSettings } from './http/rate-limit.ts';
import type { ReadinessReport } from './http/routes/health.ts';
import { createApp, defaultHttpLimits } from './http/server.ts';
import type { KubeClient } from './kube/api.ts';
import { createKubeClient } from './kube/client.ts';
import type { ClusterAccess } from './kube/config.ts';
import { installCrds } from './kube/crd-installer.ts';
import { keepLeading, type Leading } from './leading.ts';
import { beginMeasuring, type MeasuringOptions } from './measuring/index.ts';
import { inspectArchive } from './providers/archive/inspect.ts';
import { type ArtifactSettings, openArtifactStore } from './providers/artifacts/index.ts';
import { createSchemaSandbox } from './providers/schema-sandbox/index.ts';
import type { BuildSettings } from './reconcilers/build/decide.ts';
import type { TenancySettings } from './reconcilers/organization/guards.ts';
import { type Caches, createCaches, createStores } from './service.ts';
import { type BuildLogs, createBuildLogs } from './store/build-logs.ts';
import { joinReplicas } from './store/replicas.ts';
import { ensureSystemNamespace, keepEventKey } from './store/system.ts';

export interface ServiceSettings {
  readonly release: string;
  readonly host: string;
  readonly port: number;
  /** Connections to the API at a time. */
  readonly connections?: number | undefined;
  /** Where metrics are read, without a token. */
  readonly metrics: MetricsSettings;
  readonly issuers: readonly IssuerSettings[];
  /** Where uploaded and built code is kept. */
  readonly artifacts: ArtifactSettings;
  readonly systemNamespace: string;
  readonly tenancy?: Partial<TenancySettings>;
  /** Of this process in leader election. */
  readonly identity: string;
  readonly policy: RetryPolicy;
  /** Whether providers may be on this machine, as in development. */
  readonly loopbackProviders?: boolean;
  /** Milliseconds for one delivery of an event. */
  readonly eventTimeoutMs: number;
  /** Resources worked on at a time. */
  readonly workers: number;
  /** Superseded dead letters that are kept of one organization. */
  readonly supersededKept?: number;
  /** What one organization may ask for. */
  readonly rates: RateSettings;
  readonly workloads: WorkloadSettings;
}

export interface MetricsSettings extends Pick<MeasuringOptions, 'lookMs'> {
  readonly host: string;
  readonly port: number;
}

/** What pods of ours need to know. */
export interface WorkloadSettings {
  /** Image of Fairlead itself. */
  readonly image: string;
  /** Where the listener for pods listens. */
  readonly internal: { readonly host: string; readonly port: number };
  /** Base addresses of that listener and of Fairlead, as pods reach them. */
  readonly artifactsUrl: string;
  readonly fairleadUrl: string;
  readonly builds: BuildSettings;
}

export interface Service {
  readonly port: number;
  readonly metricsPort: number;
  /** Answers what is under way, records what was heard, gives back the lease. */
  stop(): Promise<void>;
}

const drainMs = 5_000;

/** @throws KubeError, ClusterConfigError, or the error of `listen`; nothing is left running then */
export async function startService(
  cluster: ClusterAccess,
  settings: ServiceSettings,
  log: Log,
): Promise<Service> {
  const stack = new AsyncDisposableStack();
  try {
    return await start(stack, { cluster, settings, log });
  } catch (thrown) {
    await stack.disposeAsync();
    throw thrown;
  }
}

async function start(
  stack: AsyncDisposableStack,
  { cluster, settings, log }: { cluster: ClusterAccess; settings: ServiceSettings; log: Log },
): Promise<Service> {
  const clock = systemClock;
  const client = createKubeClient(cluster);
  stack.defer(() => client.close());
  const { systemNamespace: namespace, release } = settings;
  await installCrds(client, crdManifests(release), { log });
  await ensureSystemNamespace(client, namespace);
  const key = await keepEventKey(client, namespace, generateEventKey);
  const signer = await createSigner(key, clock);
  const tokens = await createArtifactTokens(key, clock);
  const schemas = createSchemaSandbox({ log });
  stack.defer(() => schemas.close());
  const dispatcher = createDispatcher({
    signer,
    clock,
    log,
    timeoutMs: settings.eventTimeoutMs,
    loopback: settings.loopbackProviders,
  });
  stack.defer(() => dispatcher.close());
  const foundation = { client, clock, log, random: Math.random };
  const caches = createCaches(foundation);
  stack.defer(() => stopCaches(caches));
  const authenticator = createAuthenticator({ issuers: settings.issuers, clock, log });
  await Promise.all([authenticator.warm(), ...caches.all.map((each) => each.start())]);
  const stores = createStores(foundation, caches, settings);
  const measuring = beginMeasuring({
    ...settings.metrics,
    foundation,
    caches,
    leading: () => leading.leading,
  });
  stack.defer(() => measuring.stop());
  const artifacts = await openArtifactStore(settings.artifacts, clock);
  const buildLogs = createBuildLogs({ client, builds: stores.builds, artifacts, log });
  const internal = createInternalApp({ artifacts, tokens, clock, log });
  const forPods = await listen(internal, settings.workloads.internal);
  stack.defer(() => forPods.close(drainMs));
  const work = workOf(settings.workloads, { artifacts, tokens, buildLogs });
  const dispatch = measuring.dispatch(dispatcher.dispatch);
  const leading: Leading = keepLeading({
    foundation,
    namespace,
    identity: settings.identity,
    controllers: (guarded) =>
      createControllers(guarded, caches, {
        ...settings,
        ...work,
        schemas,
        dispatch,
        meter: measuring.controllers,
      }),
  });
  stack.defer(() => leading.stop());
  const heartbeat = watchServer(client, clock);
  stack.defer(() => heartbeat.stop());
  const { rates, identity } = settings;
  // Before anything is let through: the share of this replica depends on how many there are.
  const replicas = await joinReplicas({ client, namespace, identity, clock, log });
  stack.defer(() => replicas.stop());
  const app = createApp({
    ...stores,
    schemas,
    artifacts,
    buildLogs,
    inspectArchive,
    authenticator,
    readiness: () => readiness(caches, heartbeat, authenticator),
    eventKeys: () => signer.publicKeys(),
    limits: defaultHttpLimits,
    rateLimiter: createRateLimiter({ rates, clock, replicas: () => replicas.count }),
    observer: measuring.requests,
    clock,
    log,
  });
  const scraped = await listen(measuring.app, settings.metrics);
  stack.defer(() => scraped.close(drainMs));
  const listening = await listen(app, { ...settings, limits: connectionLimits(settings) });
  stack.defer(() => listening.close(drainMs));
  // First of all: who follows a log would otherwise be waited for until its build ends.
  stack.defer(() => buildLogs.close());
  const { port } = listening;
  return { port, metricsPort: scraped.port, stop: () => stack.disposeAsync() };
}

const captureMs = 30_000;
/** For a build that waited in the queue of its node, and then took all the time it may. */
const buildTokenSeconds = 24 * 60 * 60;
/** Pods of a version fetch its code whenever they are moved; the token reads that code and nothing else. */
const versionTokenSeconds = 10 * 365 * 24 * 60 * 60;
const mostBuiltBytes = 512 * 1_048_576;
const mostTypesBytes = 1_048_576;

interface WorkDeps {
  readonly artifacts: ArtifactStore;
  readonly tokens: ArtifactTokens;
  readonly buildLogs: BuildLogs;
}

/** What the reconcilers of builds and deployments are given besides the caches. */
function workOf(settings: WorkloadSettings, { artifacts, tokens, buildLogs }: WorkDeps) {
  const { image, artifactsUrl, fairleadUrl } = settings;
  const download = (holder: string, digest: Digest, seconds: number) =>
    tokens.sign(holder, { direction: 'download', digest }, seconds);
  const upload = (holder: string, maximumBytes: number) =>
    tokens.sign(holder, { direction: 'upload', maximumBytes }, buildTokenSeconds);
  return {
    builds: {
      artifacts,
      image,
      artifactsUrl,
      settings: settings.builds,
      tokens: async (build: string, source: Digest) => ({
        download: await download(build, source, buildTokenSeconds),
        upload: await upload(build, mostBuiltBytes),
        types: await upload(build, mostTypesBytes),
      }),
      captureLog: ({ namespace, name }: { namespace: string; name: string }) =>
        buildLogs.capture(namespace, name, AbortSignal.timeout(captureMs)),
    },
    deployments: {
      image,
      artifactsUrl,
      fairleadUrl,
      downloadToken: (holder: string, digest: Digest) =>
        download(holder, digest, versionTokenSeconds),
    },
  };
}

function connectionLimits({ connections }: ServiceSettings) {
  return connections === undefined ? {} : { connections };
}

async function stopCaches({ all }: Caches): Promise<void> {
  await Promise.all(all.map((each) => each.stop()));
}

interface Heartbeat {
  /** Whether the API server answered lately. */
  readonly alive: boolean;
  stop(): void;
}

const beatMs = 5_000;
const silentAfterMs = 15_000;

/** Watches of quiet kinds say nothing for minutes; whether the API server is there must be asked. */
function watchServer(client: KubeClient, clock: Clock): Heartbeat {
  const stopping = new AbortController();
  const { signal } = stopping;
  let heardAt = clock.monotonic();
  async function beat(): Promise<void> {
    while (!signal.aborted) {
      await pause(beatMs, undefined, { signal, ref: false }).catch(() => undefined);
      const answered = await client.raw('/livez', { signal, timeoutMs: beatMs }).then(
        () => true,
        () => false,
      );
      if (answered) heardAt = clock.monotonic();
    }
  }
  void beat();
  return {
    get alive() {
      return clock.monotonic() - heardAt < silentAfterMs;
    },
    stop: () => stopping.abort(),
  };
}

function readiness(
  caches: Caches,
  heartbeat: Heartbeat,
  authenticator: Authenticator,
): ReadinessReport {
  const checks = {
    // One of them is enough: an issuer that is down must not take the organizations of the others out of service.
    issuers: authenticator.usable,
    caches: caches.all.every(({ synced }) => synced),
    kubernetes: heartbeat.alive,
  };
  return { ready: Object.values(checks).every(Boolean), checks };
}
