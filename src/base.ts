// What every process of Fairlead has, whatever its part: a client, caches, stores, keys, artifacts, metrics.
import { setTimeout as pause } from 'node:timers/promises';
import { crdManifests } from './crds/manifest.ts';
import type { ArtifactStore } from './domain/artifact.ts';
import { type Clock, systemClock } from './domain/clock.ts';
import type { Log } from './domain/log.ts';
import type { SchemaSandbox } from './domain/schema.ts';
import { createSigner, generateEventKey, type Signer } from './events/sign.ts';
import { type ArtifactTokens, createArtifactTokens } from './http/artifact-tokens.ts';
import { listen } from './http/listen.ts';
import type { KubeClient } from './kube/api.ts';
import { createKubeClient } from './kube/client.ts';
import type { ClusterAccess } from './kube/config.ts';
import { installCrds } from './kube/crd-installer.ts';
import { beginMeasuring, type Measuring } from './measuring/index.ts';
import { openArtifactStore } from './providers/artifacts/index.ts';
import { createSchemaSandbox } from './providers/schema-sandbox/index.ts';
import {
  type Caches,
  createCaches,
  createStores,
  type Foundation,
  type Stores,
} from './service.ts';
import type { ServiceSettings } from './settings.ts';
import { type BuildLogs, createBuildLogs } from './store/build-logs.ts';
import { ensureSystemNamespace, givenKey, keepKey, systemKeys } from './store/system.ts';

export interface Base {
  readonly settings: ServiceSettings;
  readonly foundation: Foundation;
  readonly caches: Caches;
  readonly stores: Stores;
  readonly signer: Signer;
  readonly tokens: ArtifactTokens;
  readonly schemas: SchemaSandbox;
  readonly artifacts: ArtifactStore;
  readonly buildLogs: BuildLogs;
  readonly measuring: Measuring;
  readonly metricsPort: number;
  readonly heartbeat: Heartbeat;
}

export interface Opening {
  readonly cluster: ClusterAccess;
  readonly settings: ServiceSettings;
  readonly log: Log;
  /** Whether this process leads just now. */
  readonly leading: () => boolean;
}

/** How long requests and passes under way are waited for, in milliseconds. */
export const drainMs = 5_000;

const ownTokenSeconds = 60;

/** What is opened is closed by the stack, the last first. @throws KubeError */
export async function openBase(
  stack: AsyncDisposableStack,
  { cluster, settings, log, leading }: Opening,
): Promise<Base> {
  const clock = systemClock;
  const client = createKubeClient(cluster);
  stack.defer(() => client.close());
  const { systemNamespace: namespace, release, installed = false } = settings;
  if (!installed) {
    await installCrds(client, crdManifests(release), { log });
    await ensureSystemNamespace(client, namespace);
  }
  const key = await eventKey(client, settings);
  const tokens = await createArtifactTokens(key, clock);
  const schemas = createSchemaSandbox({ log, queueLimit: roomForSchemas(settings.workers) });
  stack.defer(() => schemas.close());
  const foundation = { client, clock, log, random: Math.random };
  const caches = createCaches(foundation);
  stack.defer(() => stopCaches(caches));
  await Promise.all(caches.all.map((each) => each.start()));
  const stores = createStores(foundation, caches, settings);
  const measuring = beginMeasuring({ ...settings.metrics, foundation, caches, leading });
  stack.defer(() => measuring.stop());
  const store = await openArtifactStore(settings.artifacts, clock, (grant) =>
    tokens.sign(settings.identity, grant, ownTokenSeconds),
  );
  const artifacts = measuring.artifacts(store);
  const scraped = await listen(measuring.app, { ...settings.metrics, hosts: settings.hosts });
  stack.defer(() => scraped.close(drainMs));
  const heartbeat = watchServer(client, clock);
  stack.defer(() => heartbeat.stop());
  return {
    settings,
    foundation,
    caches,
    stores,
    signer: await createSigner(key, clock),
    tokens,
    schemas,
    artifacts,
    buildLogs: createBuildLogs({ client, builds: stores.builds, artifacts, log }),
    measuring,
    metricsPort: scraped.port,
    heartbeat,
  };
}

type EventKey = Awaited<ReturnType<typeof generateEventKey>>;

function eventKey(client: KubeClient, { systemNamespace: namespace, ...own }: ServiceSettings) {
  const { eventKeySecret: name } = own;
  if (name !== undefined) return givenKey<EventKey>(client, { namespace, name });
  return keepKey(client, { namespace, name: systemKeys.events }, generateEventKey);
}

async function stopCaches({ all }: Caches): Promise<void> {
  await Promise.all(all.map((each) => each.stop()));
}

export interface Heartbeat {
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

/** One tenant fills a quarter of it at most, and all reconcilers may be with the resources of one. */
function roomForSchemas(workers: number): number {
  return 4 * Math.max(128, 2 * workers);
}
