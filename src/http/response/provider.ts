// Maps build and provider records to response bodies.
import * as schemas from '../../api/schemas/providers.ts';
import type { BuildRecord } from '../../store/builds/store.ts';
import {
  deploymentNameOf,
  type Incompatible,
  type ProviderRecord,
} from '../../store/providers/store.ts';
import { presenterOf } from './body.ts';

const pushBody = presenterOf(schemas.PushedBuild);
const buildBody = presenterOf(schemas.Build);
const deploymentBody = presenterOf(schemas.Deployment);
const providerBody = presenterOf(schemas.Provider);

export function presentPush(record: BuildRecord) {
  const message = `Version ${record.version} of ${record.provider} is waiting to be built`;
  return pushBody({ ...record, status: record.phase, message });
}

export function presentBuild(record: BuildRecord) {
  return buildBody({
    ...record,
    status: record.phase,
    errorMessage: record.error,
    providerId: record.provider,
    image: null,
    startedAt: instant(record.startedAt),
    finishedAt: instant(record.finishedAt),
  });
}

interface Besides {
  /** A hint for the caller besides the state of the Deployment. */
  readonly note?: string;
  readonly incompatible: Pick<Incompatible, 'count' | 'ids'>;
}

export function presentDeployment(
  record: ProviderRecord & { readonly version: string },
  { note = '', incompatible }: Besides,
) {
  return deploymentBody({
    ...record,
    deploymentName: deploymentNameOf(record.provider),
    status: record.state,
    resources: record.resources ?? {},
    message: [note, record.message].filter((each) => each !== '').join('. '),
    incompatibleCount: incompatible.count,
    incompatibleResources: incompatible.ids,
  });
}

export function presentProvider(record: ProviderRecord) {
  return providerBody({
    ...record,
    providerId: record.provider,
    hosted: record.endpoint === undefined,
    status: record.state,
    currentVersion: record.version,
    deploymentStatus: record.version === undefined ? null : record.state,
  });
}

const buildInWords: Readonly<Record<BuildRecord['phase'], (version: string) => string>> = {
  pending: (version) => `The build of version ${version} waits; no version was deployed`,
  building: (version) => `Version ${version} is being built; no version was deployed`,
  success: (version) => `Version ${version} is built; no version was deployed`,
  failed: (version) => `The build of version ${version} failed; no version was deployed`,
};

/** Presents a provider that was pushed but never deployed: it has builds, but no object. */
export function presentPushed(builds: readonly [BuildRecord, ...BuildRecord[]]) {
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
