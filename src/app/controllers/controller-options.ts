// The options of the controllers of one shard.
import type { RetryPolicy } from '../../domain/retry.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import type { Dispatch } from '../../events/dispatch.ts';
import type { Key } from '../../kube/api.ts';
import type { ControllerObserver } from '../../kube/controller.ts';
import type { Workqueue, WorkqueueOptions } from '../../kube/queue/workqueue.ts';
import type { Tracer } from '../../lib/tracer.ts';
import type { ActDeps as BuildActDeps } from '../../reconcilers/build/act.ts';
import type { ActDeps as DeploymentActDeps } from '../../reconcilers/deployment/act.ts';
import type { Certificates } from '../../reconcilers/deployment/manifest.ts';
import {
  type ObservationMeter,
  silentObservationMeter,
} from '../../reconcilers/observation/meter.ts';
import { defaultTenancy, type TenancySettings } from '../../reconcilers/organization/guards.ts';

/** Observes reconciliations, and gets their queues. */
export interface ControllerMeter extends ControllerObserver {
  queue(reconciler: string, shard: number, queue: Workqueue): void;
  /** @param waiting counts the events of a provider that are being delivered or wait for it */
  deliveries(shard: number, waiting: (provider: Key) => number): void;
  /** Counts an event that ended its process. */
  processEnded(provider: Key): void;
  /** Counts processes that ended without an event to blame. */
  processesRestarted(provider: Key, ends: number): void;
  readonly observations: ObservationMeter;
}

export const silentMeter: ControllerMeter = {
  reconciled: () => undefined,
  queue: () => undefined,
  deliveries: () => undefined,
  processEnded: () => undefined,
  processesRestarted: () => undefined,
  observations: silentObservationMeter,
};

export interface ControllerOptions {
  /** The shard whose namespaces these controllers reconcile; the caches cover only those. */
  readonly shard?: number;
  /** The namespace of Fairlead's own objects. */
  readonly systemNamespace: string;
  /** Cluster-specific settings of tenant namespaces. */
  readonly tenancy?: Partial<TenancySettings> | undefined;
  readonly schemas: SchemaSandbox;
  readonly dispatch: Dispatch;
  readonly tracer?: Tracer;
  readonly policy: RetryPolicy;
  /** Milliseconds for one delivery; default 30 s. Deliveries of types with a longer limit hold no worker. */
  readonly eventTimeoutMs?: number;
  /** Resources reconciled concurrently. */
  readonly workers: number;
  /** Between passes of a resource that fail; default: that of every queue. */
  readonly backoff?: WorkqueueOptions['backoff'];
  /** Superseded dead letters kept per organization. */
  readonly supersededKept?: number | undefined;
  /** The pace of a redrive. */
  readonly deadLettersPerSecond?: number;
  readonly meter?: ControllerMeter;
  readonly builds: Pick<
    BuildActDeps,
    | 'artifacts'
    | 'tokens'
    | 'captureLog'
    | 'image'
    | 'artifactsUrl'
    | 'pullConfig'
    | 'scheduling'
    | 'settings'
  >;
  readonly deployments: Pick<
    DeploymentActDeps,
    | 'downloadToken'
    | 'image'
    | 'artifactsUrl'
    | 'fairleadUrl'
    | 'keyId'
    | 'minReadySeconds'
    | 'pullConfig'
    | 'scheduling'
  > & {
    readonly certificates: Certificates & {
      /** Calls back when another authority signs. @returns a function that unsubscribes */
      onChange?(listener: () => void): () => void;
    };
  };
}

/** Returns the settings of tenant namespaces, with defaults. */
export function tenancyOf({ systemNamespace, tenancy }: ControllerOptions): TenancySettings {
  return { ...defaultTenancy, systemNamespace, ...tenancy };
}
