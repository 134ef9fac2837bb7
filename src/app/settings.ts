// Defines the settings of the service, as the development mode, a cluster's configuration or tests provide them.
import type { PodScheduling } from '../domain/providers/pod-scheduling.ts';
import type { RetryPolicy } from '../domain/retry.ts';
import type { IssuerSettings } from '../http/auth/authenticate.ts';
import type { RateSettings } from '../http/limits/rate-limit.ts';
import type { ArtifactSettings } from '../providers/artifacts/index.ts';
import type { CollectionSettings } from '../reconcilers/artifacts/index.ts';
import type { BuildSettings } from '../reconcilers/build/decide.ts';
import type { TenancySettings } from '../reconcilers/organization/guards.ts';

/** The part of a Fairlead process: it serves requests, reconciles while it is the leader, or both. */
export type ServicePart = 'api' | 'controller';

export const everyPart: readonly ServicePart[] = ['api', 'controller'];

export interface ServiceSettings {
  /** Defaults to both. */
  readonly parts?: readonly ServicePart[];
  /** True if a chart has already installed the CRDs and Fairlead's namespace. */
  readonly installed?: boolean;
  readonly release: string;
  readonly host: string;
  readonly port: number;
  /** Origin of the API for clients outside; without it, the API publishes no sign-in. */
  readonly publicUrl?: string | undefined;
  /**
   * Host names of every listener: requests to other hosts, and from pages of other sites, are rejected. Defaults to any.
   */
  readonly hosts?: readonly string[] | undefined;
  /** Concurrent connections to the API. */
  readonly connections?: number | undefined;
  /** Per address; defaults to half of all. */
  readonly connectionsPerAddress?: number | undefined;
  /** The port of a listener for probes only: clients that exhaust the API's connections cannot fail its liveness probe. */
  readonly probePort?: number | undefined;
  /** The metrics listener, which needs no token. */
  readonly metrics: MetricsSettings;
  readonly issuers: readonly IssuerSettings[];
  /** Where uploaded and built code is stored. */
  readonly artifacts: ArtifactSettings;
  /** Removes unreferenced artifacts; absent, they are kept. */
  readonly collection?: CollectionSettings | undefined;
  readonly systemNamespace: string;
  /** An externally managed Secret with the event key; if absent, one is created. */
  readonly eventKeySecret?: string | undefined;
  readonly tenancy?: Partial<TenancySettings>;
  /** Creates the Organization object on the first valid token of an organization; defaults to true. */
  readonly provision?: boolean;
  /** The identity of this process in leader election. */
  readonly identity: string;
  readonly policy: RetryPolicy;
  /** Permits providers on this machine, as in development. */
  readonly loopbackProviders?: boolean;
  /** Time limit of one delivery in milliseconds. */
  readonly eventTimeoutMs: number;
  /** Resources that this process reconciles concurrently, when it leads an even share of the shards. */
  readonly workers: number;
  /** The number of parts into which the controllers divide the organizations; defaults to 1. */
  readonly shards?: number | undefined;
  /** Superseded dead letters kept per organization. */
  readonly supersededKept?: number;
  /** The rate limits of one organization. */
  readonly rates: RateSettings;
  readonly workloads: WorkloadSettings;
  /** Receives the audit lines, with their line feeds; defaults to standard output. */
  readonly audit?: ((line: string) => void) | undefined;
  /** Undefined: no traces are recorded. */
  readonly tracing?: TracingSettings | undefined;
}

interface TracingSettings {
  /** The share of recorded traces of those that begin here, from 0 to 1. */
  readonly ratio: number;
  /** Where traces are sent; default: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or OTEL_EXPORTER_OTLP_ENDPOINT and `/v1/traces`. */
  readonly url?: string;
}

export interface MetricsSettings {
  readonly host: string;
  readonly port: number;
  /** Milliseconds between two reads of the API server's counts. */
  readonly lookMs?: number;
}

/** Where pods find Fairlead. The controller requires all of it; the API uses none. */
export interface PodAddresses {
  /** Fairlead's own image. */
  readonly image?: string | undefined;
  /** Base URLs of the listener for pods and of Fairlead, as pods reach them. */
  readonly artifactsUrl?: string | undefined;
  readonly fairleadUrl?: string | undefined;
}

/** Settings of our pods. */
export interface WorkloadSettings extends PodAddresses {
  /** The current credentials to pull it: the content of a `.dockerconfigjson`. */
  readonly pullConfig?: (() => string) | undefined;
  /** The address of the listener for pods. */
  readonly internal: { readonly host: string; readonly port: number };
  /** How long the pods of a version must be ready before it takes over. */
  readonly minReadySeconds: number;
  readonly scheduling?: PodScheduling | undefined;
  readonly builds: BuildSettings;
}
