// Defines the settings of the service, as the development mode, a cluster's configuration or tests provide them.
import type { RetryPolicy } from '../domain/retry.ts';
import type { IssuerSettings } from '../http/auth/authenticate.ts';
import type { RateSettings } from '../http/limits/rate-limit.ts';
import type { MeasuringOptions } from '../metrics/index.ts';
import type { ArtifactSettings } from '../providers/artifacts/index.ts';
import type { BuildSettings } from '../reconcilers/build/decide.ts';
import type { TenancySettings } from '../reconcilers/organization/guards.ts';

/** What a process of Fairlead does: serve requests, reconcile while it leads, or both. */
export type Part = 'api' | 'controller';

export interface ServiceSettings {
  /** Both unless told. */
  readonly parts?: readonly Part[];
  /** Whether definitions and the namespace of Fairlead are there already, because a chart made them. */
  readonly installed?: boolean;
  readonly release: string;
  readonly host: string;
  readonly port: number;
  /** Names that every listener has: requests to other hosts, and of pages of other sites, are refused. Any unless told. */
  readonly hosts?: readonly string[] | undefined;
  /** Connections to the API at a time. */
  readonly connections?: number | undefined;
  /** From one address; half of all unless told. */
  readonly connectionsPerAddress?: number | undefined;
  /** Of a listener that answers probes alone: nobody who fills the API keeps its pod from being seen alive. */
  readonly probePort?: number | undefined;
  /** Where metrics are read, without a token. */
  readonly metrics: MetricsSettings;
  readonly issuers: readonly IssuerSettings[];
  /** Where uploaded and built code is kept. */
  readonly artifacts: ArtifactSettings;
  readonly systemNamespace: string;
  /** A Secret there with the key of events, that somebody else keeps; without one it is made. */
  readonly eventKeySecret?: string | undefined;
  readonly tenancy?: Partial<TenancySettings>;
  /** Whether the first valid token of an organization makes its Organization object; so it is unless told. */
  readonly provision?: boolean;
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
  /** What it is fetched with, as it is now: the content of a `.dockerconfigjson`. */
  readonly pullConfig?: (() => string) | undefined;
  /** Where the listener for pods listens. */
  readonly internal: { readonly host: string; readonly port: number };
  /** Base addresses of that listener and of Fairlead, as pods reach them. */
  readonly artifactsUrl: string;
  readonly fairleadUrl: string;
  /** How long the pods of a version must have been ready before it takes over. */
  readonly minReadySeconds: number;
  readonly builds: BuildSettings;
}
