// Maps build and provider records to response bodies.
import type { z } from 'zod';
import type * as schemas from '../../api/schemas/providers.ts';
import type { BuildRecord } from '../../store/builds/store.ts';
import {
  deploymentNameOf,
  type Incompatible,
  type ProviderRecord,
} from '../../store/providers/store.ts';

type ProviderBody<S extends z.ZodType> = z.input<S>;

export function presentPush(record: BuildRecord): ProviderBody<typeof schemas.PushedBuild> {
  return {
    version: record.version,
    job_name: record.jobName,
    status: record.phase,
    message: `Version ${record.version} of ${record.provider} is waiting to be built`,
  };
}

export function presentBuild(record: BuildRecord): ProviderBody<typeof schemas.Build> {
  return {
    job_name: record.jobName,
    status: record.phase,
    error_message: record.error,
    version: record.version,
    provider_id: record.provider,
    image: null,
    created_at: record.createdAt,
    started_at: instant(record.startedAt),
    finished_at: instant(record.finishedAt),
  };
}

interface Besides {
  /** A hint for the caller besides the state of the Deployment. */
  readonly note?: string;
  readonly incompatible: Pick<Incompatible, 'count' | 'ids'>;
}

export function presentDeployment(
  record: ProviderRecord & { readonly version: string },
  { note = '', incompatible }: Besides,
): ProviderBody<typeof schemas.Deployment> {
  return {
    deployment_name: deploymentNameOf(record.provider),
    status: record.state,
    available_replicas: record.availableReplicas,
    ready_replicas: record.readyReplicas,
    replicas: record.replicas,
    serving_version: record.servingVersion ?? null,
    resources: record.resources ?? {},
    version: record.version,
    updated_at: record.updatedAt,
    message: [note, record.message].filter((each) => each !== '').join('. '),
    incompatible_count: incompatible.count,
    incompatible_resources: [...incompatible.ids],
  };
}

export function presentProvider(record: ProviderRecord): ProviderBody<typeof schemas.Provider> {
  return {
    provider: record.provider,
    provider_id: record.provider,
    hosted: record.endpoint === undefined,
    status: record.state,
    available_replicas: record.availableReplicas,
    ready_replicas: record.readyReplicas,
    replicas: record.replicas,
    serving_version: record.servingVersion ?? null,
    message: record.message,
    version: record.version ?? null,
    previous_version: record.previousVersion ?? null,
    current_version: record.version ?? null,
    deployment_status: record.version === undefined ? null : record.state,
    corrections_held: record.correctionsHeld ?? null,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}

const buildInWords: Readonly<Record<BuildRecord['phase'], (version: string) => string>> = {
  pending: (version) => `The build of version ${version} waits; no version was deployed`,
  building: (version) => `Version ${version} is being built; no version was deployed`,
  success: (version) => `Version ${version} is built; no version was deployed`,
  failed: (version) => `The build of version ${version} failed; no version was deployed`,
};

/** Presents a provider that was pushed but never deployed: it has builds, but no object. */
export function presentPushed(
  builds: readonly [BuildRecord, ...BuildRecord[]],
): ProviderBody<typeof schemas.Provider> {
  const sorted = builds.toSorted((left, right) => (left.version < right.version ? -1 : 1));
  const [oldest = builds[0]] = sorted;
  const newest = sorted.at(-1) ?? oldest;
  return presentProvider({
    provider: newest.provider,
    version: undefined,
    previousVersion: undefined,
    servingVersion: undefined,
    endpoint: undefined,
    incompatible: undefined,
    state: newest.phase === 'failed' ? 'failed' : 'pending',
    message: buildInWords[newest.phase](newest.version),
    replicas: 0,
    resources: undefined,
    availableReplicas: 0,
    readyReplicas: 0,
    correctionsHeld: undefined,
    createdAt: oldest.createdAt,
    updatedAt: newest.createdAt,
  });
}

/** Other writers of a status may omit the milliseconds. */
function instant(time: string | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
