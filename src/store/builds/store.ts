// The store of builds. A build is named after its version, and the API server rejects a second object of a name: that makes
// versions unique, however many pushes and replicas there are.
import { randomUUID } from 'node:crypto';
import type { Build } from '../../crds/build.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import type { ArtifactRef } from '../../domain/providers/artifact.ts';
import {
  type BuildPhase,
  isBuildFinished,
  jobNameOf,
  jobNamePattern,
  versionAt,
} from '../../domain/providers/build.ts';
import type { DeclaredTypeOptions } from '../../domain/type-options.ts';
import type { TypeVersions } from '../../domain/type-version.ts';
import { hasReason } from '../../kube/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { annotation, apiVersion, kinds, label } from '../kinds.ts';
import { typeContent } from '../providers/type-content.ts';
import { put, read, type StoreDeps } from '../put.ts';
import { iso } from '../resources/state.ts';
import { isWithdrawn, withdraw } from './withdraw.ts';

export interface BuiltType extends DeclaredTypeOptions, TypeVersions {
  readonly resource: string;
  readonly description: string;
  readonly schema: JsonObject | undefined;
}

export interface BuildRecord {
  readonly provider: string;
  readonly version: string;
  readonly jobName: string;
  readonly phase: BuildPhase;
  readonly error: string | null;
  readonly source: ArtifactRef;
  readonly artifact: ArtifactRef | undefined;
  readonly types: readonly BuiltType[];
  /** JSON Schema of the settings; undefined when the version declares none. */
  readonly settings: JsonObject | undefined;
  /** Digest of the log, once it is stored. */
  readonly log: string | undefined;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

export interface BuildStore {
  /** Creates a build of the uploaded source, under a version of its own. */
  create(organization: Organization, provider: string, source: ArtifactRef): Promise<BuildRecord>;
  /** @throws FairleadError `build_not_found`, also for a build of another provider */
  get(organization: Organization, provider: string, jobName: string): Promise<BuildRecord>;
  /** Newest first. */
  list(organization: Organization, provider: string): Promise<readonly BuildRecord[]>;
  /** Builds of every provider that was not deleted since, in no order. */
  listPushed(organization: Organization): Promise<readonly BuildRecord[]>;
  /** For a provider that is deleted: removes the unfinished builds and their workloads. @returns their number */
  withdraw(organization: Organization, provider: string): Promise<number>;
}

// Maximum pushes of one provider within the same seconds; each takes the next free version.
const maxAttempts = 120;
const secondMs = 1_000;

export function createBuildStore(deps: StoreDeps): BuildStore {
  return {
    create: (organization, provider, source) =>
      createBuild(deps, organization, { provider, source }),
    get: async (organization, provider, jobName) => {
      const { namespace } = organization;
      const named = jobNamePattern.test(jobName);
      const ref = { namespace, name: jobName };
      const found = named ? await read<Build>(deps.client, kinds.build, ref) : undefined;
      if (found?.spec.provider === provider) return buildRecord(found);
      throw new FairleadError(
        'build_not_found',
        `Build not found: ${provider}/${jobName.slice(0, 63)}`,
      );
    },
    list: async (organization, provider) => {
      const items = await buildsOf(deps, organization, provider);
      return items.map(buildRecord).sort((left, right) => (left.version < right.version ? 1 : -1));
    },
    listPushed: async ({ namespace }) => {
      const { items } = await deps.client.list<Build>(kinds.build, { namespace });
      return items.filter((build) => !isWithdrawn(build)).map(buildRecord);
    },
    withdraw: async (organization, provider) => {
      const builds = await buildsOf(deps, organization, provider);
      const running = builds.filter(({ status }) => !isBuildFinished(status?.phase ?? 'pending'));
      await withdraw(
        builds.filter((each) => !running.includes(each)),
        deps,
      );
      for (const { metadata } of running) await removeBuild(deps, metadata);
      return running.length;
    },
  };
}

async function buildsOf(
  { client }: StoreDeps,
  { namespace }: Organization,
  provider: string,
): Promise<readonly Build[]> {
  const fieldSelector = `spec.provider=${provider}`;
  return (await client.list<Build>(kinds.build, { namespace, fieldSelector })).items;
}

/** Somebody else may have removed it already. */
async function removeBuild({ client }: StoreDeps, metadata: Build['metadata']): Promise<void> {
  try {
    await client.delete(kinds.build, metadata);
  } catch (thrown) {
    if (!hasReason(thrown, 'notFound')) throw thrown;
  }
}

/** @returns versions of the provider; none that a clock has named which was far ahead */
async function versionsUntil(
  latest: string,
  deps: StoreDeps,
  { organization, provider }: { organization: Organization; provider: string },
): Promise<readonly string[]> {
  const builds = await buildsOf(deps, organization, provider);
  return builds.map(({ spec }) => spec.version).filter((version) => version < latest);
}

async function createBuild(
  deps: StoreDeps,
  organization: Organization,
  { provider, source }: { provider: string; source: ArtifactRef },
): Promise<BuildRecord> {
  const { client, clock } = deps;
  const { namespace } = organization;
  const start = clock.now().getTime();
  const versionAfter = (seconds: number) => versionAt(new Date(start + seconds * secondMs));
  const taken = await versionsUntil(versionAfter(maxAttempts), deps, { organization, provider });
  const request = randomUUID();
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const version = versionAfter(attempt);
    // Also of a name that is free again: the history removes the oldest versions, and would remove this one at once.
    if (taken.some((each) => each >= version)) continue;
    const name = jobNameOf(provider, version);
    const created = await put<Build>(client, kinds.build, {
      apiVersion,
      kind: kinds.build.kind,
      metadata: {
        name,
        namespace,
        labels: { [label.provider]: provider, [label.managedBy]: 'fairlead' },
        annotations: { [annotation.request]: request },
      },
      spec: { provider, version, source: { ...source } },
    } as Build);
    // The name is taken, or the write has an unknown outcome: the existing build shows its owner.
    const there = created ?? (await read<Build>(client, kinds.build, { namespace, name }));
    if (there?.metadata.annotations?.[annotation.request] === request) return buildRecord(there);
  }
  throw new FairleadError('unavailable', 'Too many pushes at the same time; try again', {
    retryAfter: 5,
  });
}

export function buildRecord({ metadata, spec, status }: Build): BuildRecord {
  return {
    provider: spec.provider,
    version: spec.version,
    jobName: metadata.name,
    phase: status?.phase ?? 'pending',
    error: status?.error ?? null,
    source: spec.source as ArtifactRef,
    artifact: status?.artifact as ArtifactRef | undefined,
    types: (status?.types ?? []).map(({ resource, schema, ...type }) => ({
      resource,
      ...typeContent(type),
      schema: schema as JsonObject | undefined,
    })),
    settings: status?.settings as JsonObject | undefined,
    log: status?.log,
    createdAt: iso(metadata.creationTimestamp),
    startedAt: status?.startedAt ?? null,
    finishedAt: status?.finishedAt ?? null,
  };
}
