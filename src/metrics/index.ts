// All metrics of one process: created once the caches are filled, and served to scrapes until stopped.
import type { RequestListener } from 'node:http';
import type { Caches, KubeDeps } from '../app/caches.ts';
import type { ControllerMeter } from '../app/controllers/controller-options.ts';
import type { MetricsSettings } from '../app/settings.ts';
import type { ArtifactStore } from '../domain/providers/artifact.ts';
import type { Dispatch } from '../events/dispatch.ts';
import type { RulesObserver } from '../http/author-rules/index.ts';
import type { RequestObserver } from '../http/measure.ts';
import { createMetricsApp } from '../http/metrics.ts';
import { pause, systemTimers } from '../kube/timers.ts';
import type { CollectionObserver } from '../reconcilers/artifacts/index.ts';
import { kinds, label } from '../store/kinds.ts';
import { measuredArtifacts } from './artifacts.ts';
import { measureCertificates } from './certificates.ts';
import { measureClockSkew } from './clock-skew.ts';
import { collectionObserver } from './collection.ts';
import { createDeadLetterStatistics } from './dead-letter-statistics.ts';
import { measureDeliveries } from './deliveries.ts';
import { measureDrift } from './drift.ts';
import { authorRulesObserver, controllerMeter, measuredDispatch, requestObserver } from './flow.ts';
import { countObjects } from './object-count.ts';
import { measureObservations } from './observations.ts';
import { createMetrics } from './registry.ts';
import { createResourceStates } from './resource-states.ts';
import { createStalledObjects } from './stalled.ts';
import { registerStateMetrics } from './state.ts';
import { type Accounting, createAccounting } from './unaccounted.ts';
import { createUnsettled } from './unsettled.ts';

export interface Measuring {
  readonly requests: RequestObserver;
  readonly authorRules: RulesObserver;
  readonly controllers: ControllerMeter;
  /** @returns the same function, measured; call it once */
  dispatch(dispatch: Dispatch): Dispatch;
  /** @returns the same store, measured; call it once */
  artifacts(store: ArtifactStore): ArtifactStore;
  /** @returns an observer of the garbage collection of artifacts; call it once */
  collection(): CollectionObserver;
  /** @returns the handler for scrapes */
  readonly app: RequestListener;
  stop(): Promise<void>;
}

interface MeasuringOptions extends Pick<MetricsSettings, 'lookMs'> {
  readonly kubeDeps: KubeDeps;
  readonly caches: Caches;
  /** The shards that this process leads. */
  readonly led: () => readonly number[];
  /** Number of shards of the installation; 1. */
  readonly shards?: number | undefined;
  /** True when this process caches the dead letters. */
  readonly deadLetters: boolean;
}

const defaultLookMs = 30_000;
const countMs = 10_000;

export function beginMeasuring(options: MeasuringOptions): Measuring {
  const { kubeDeps, caches, led, shards = 1, lookMs = defaultLookMs } = options;
  const { client, clock, log } = kubeDeps;
  const metrics = createMetrics();
  const resourceStates = createResourceStates(caches.resources);
  const organizations = () => organizationsIn(caches);
  const accounting = createAccounting({
    resourceStates,
    organizations,
    log,
    count: (namespace, signal) =>
      countObjects(client, kinds.resource, { namespace, signal, timeoutMs: countMs }),
  });
  registerStateMetrics(metrics, {
    caches,
    led,
    organizations,
    resourceStates,
    accounting,
    deadLetters: options.deadLetters ? createDeadLetterStatistics(caches) : undefined,
    stalled: createStalledObjects([
      caches.resources,
      caches.builds,
      caches.providers,
      caches.organizations,
    ] as unknown as Parameters<typeof createStalledObjects>[0]),
    unsettled: createUnsettled(caches.resources, clock),
    clock,
  });
  measureCertificates(metrics, caches.providers);
  measureClockSkew(metrics, caches.providers);
  measureDrift(metrics, caches);
  const { providers } = caches;
  const deliveries = measureDeliveries(metrics, { providers, led, shards });
  const observations = measureObservations(metrics, { led });
  const controllers = { ...controllerMeter(metrics), deliveries, observations };
  const stopping = new AbortController();
  const looking = keepLooking(accounting, { lookMs, signal: stopping.signal });
  return {
    requests: requestObserver(metrics),
    authorRules: authorRulesObserver(metrics),
    controllers,
    dispatch: (dispatch) => measuredDispatch(metrics, clock, dispatch),
    artifacts: (store) => measuredArtifacts(metrics, clock, store),
    collection: () => collectionObserver(metrics, clock),
    app: createMetricsApp({ ...metrics, log }),
    async stop() {
      stopping.abort();
      await looking;
    },
  };
}

function* organizationsIn({ namespaces }: Pick<Caches, 'namespaces'>): Iterable<string> {
  for (const { metadata } of namespaces.items()) {
    if (metadata.labels?.[label.organization] === 'true') yield metadata.name;
  }
}

async function keepLooking(
  accounting: Accounting,
  { lookMs, signal }: { lookMs: number; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    await accounting.look(signal);
    await pause(systemTimers, lookMs, signal);
  }
}
