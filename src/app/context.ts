// Creates what every Fairlead process needs, whatever its role: client, caches, stores, keys, artifacts, metrics.
import { crdManifests } from '../crds/manifest.ts';
import type { ArtifactGrant, ArtifactStore } from '../domain/providers/artifact.ts';
import type { SchemaSandbox } from '../domain/schemas/schema.ts';
import { listen } from '../http/listen.ts';
import type { KubeClient } from '../kube/api.ts';
import { createKubeClient } from '../kube/client.ts';
import type { ClusterAccess } from '../kube/config.ts';
import { installCrds } from '../kube/crd-installer.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { noTracer, type Tracer } from '../lib/tracer.ts';
import { beginMeasuring, type Measuring } from '../metrics/index.ts';
import { openArtifactStore } from '../providers/artifacts/index.ts';
import { createSchemaSandbox } from '../providers/schema-sandbox/index.ts';
import { type BuildLogs, createBuildLogs } from '../store/builds/logs.ts';
import { followKeys, type PublicKeys } from '../store/event-keys.ts';
import { createProviderLogs, type ProviderLogs } from '../store/providers/logs.ts';
import { ensureSystemNamespace } from '../store/system.ts';
import { type ApiServerHealth, pollApiServer } from './api-server-health.ts';
import { type Caches, createCaches, type KubeDeps } from './caches.ts';
import { openSigning, type Signing } from './keys/signing.ts';
import { everyPart, type ServiceSettings } from './settings.ts';
import { createStores, type Stores } from './stores.ts';

export interface AppContext {
  readonly settings: ServiceSettings;
  readonly kubeDeps: KubeDeps;
  readonly caches: Caches;
  readonly stores: Stores;
  /** Set in a process that sends events. */
  readonly signing: Signing | undefined;
  /** The public event keys; undefined while no controller has published any. */
  readonly eventKeys: () => PublicKeys | undefined;
  readonly schemas: SchemaSandbox;
  readonly artifacts: ArtifactStore;
  readonly buildLogs: BuildLogs;
  readonly providerLogs: ProviderLogs;
  readonly measuring: Measuring;
  readonly metricsPort: number;
  readonly apiServerHealth: ApiServerHealth;
  readonly tracer: Tracer;
}

interface ContextOptions {
  readonly cluster: ClusterAccess;
  readonly settings: ServiceSettings;
  readonly log: Log;
  /** The shards that this process leads. */
  readonly led: () => readonly number[];
}

/** How long a shutdown waits for running requests and reconciliations, in milliseconds. */
export const drainMs = 5_000;

const ownTokenSeconds = 60;

/** Opens resources on the stack, which closes them in reverse order. @throws KubeError */
export async function openContext(
  stack: AsyncDisposableStack,
  options: ContextOptions,
): Promise<AppContext> {
  const { cluster, settings, log, led } = options;
  const clock = systemClock;
  const tracer = await openTracer(stack, settings);
  const client = createKubeClient(cluster);
  stack.defer(() => client.close());
  const { systemNamespace: namespace, release, installed = false } = settings;
  const { parts = everyPart } = settings;
  const controls = parts.includes('controller');
  if (!installed) {
    await installCrds(client, crdManifests(release), { log });
    await ensureSystemNamespace(client, namespace);
  }
  const signing = controls ? await openSigning({ client, clock, log }, settings) : undefined;
  const eventKeys =
    signing === undefined ? await publishedKeys(stack, client, options) : () => signing.publicKeys;
  const schemas = createSchemaSandbox({ log, queueLimit: roomForSchemas(settings.workers) });
  stack.defer(() => schemas.close());
  const kubeDeps = { client, clock, log, random: Math.random };
  const caches = createCaches(kubeDeps, parts);
  stack.defer(() => stopCaches(caches));
  await Promise.all(caches.all.map((each) => each.start()));
  const stores = createStores(kubeDeps, caches, settings);
  stack.defer(() => stores.deadLetterIndexes.close());
  const { shards } = settings;
  const measured = { ...settings.metrics, kubeDeps, caches, led, shards, deadLetters: controls };
  const measuring = beginMeasuring(measured);
  stack.defer(() => measuring.stop());
  // Only the controller fetches from the API, so only it signs such tokens.
  const grantToken =
    signing &&
    ((grant: ArtifactGrant) => signing.tokens.sign(settings.identity, grant, ownTokenSeconds));
  const store = await openArtifactStore(settings.artifacts, clock, grantToken);
  const artifacts = measuring.artifacts(store);
  const scraped = await listen(measuring.app, { ...settings.metrics, hosts: settings.hosts });
  stack.defer(() => scraped.close(drainMs));
  const apiServerHealth = pollApiServer(client, clock);
  stack.defer(() => apiServerHealth.stop());
  return {
    settings,
    kubeDeps,
    caches,
    stores,
    signing,
    eventKeys,
    schemas,
    artifacts,
    buildLogs: createBuildLogs({ client, builds: stores.builds, artifacts, log }),
    providerLogs: createProviderLogs({
      client,
      resources: caches.resources,
      definitions: stores.definitions,
    }),
    measuring,
    metricsPort: scraped.port,
    apiServerHealth,
    tracer,
  };
}

async function publishedKeys(
  stack: AsyncDisposableStack,
  client: KubeClient,
  { settings: { systemNamespace: namespace }, log }: ContextOptions,
): Promise<AppContext['eventKeys']> {
  const published = await followKeys({ client, namespace, log });
  stack.defer(() => published.stop());
  return () => published.current;
}

async function stopCaches({ all }: Caches): Promise<void> {
  await Promise.all(all.map((each) => each.stop()));
}

/** One tenant fills at most a quarter, and all reconcilers may work on the resources of one tenant. */
function roomForSchemas(workers: number): number {
  return 4 * Math.max(128, 2 * workers);
}

async function openTracer(
  stack: AsyncDisposableStack,
  { tracing, parts = everyPart, release }: ServiceSettings,
): Promise<Tracer> {
  if (tracing === undefined) return noTracer;
  const { createOtlpTracer } = await import('../tracing/otlp.ts');
  const service = parts.length === 1 ? `fairlead-${parts[0]}` : 'fairlead';
  const tracer = createOtlpTracer({ service, release, ...tracing });
  // A collector that does not answer must not hold up the end of the process: the exporter has a timeout of its own.
  stack.defer(() => tracer.close().catch(() => undefined));
  return tracer;
}
