// Deploys a version: finds its build, counts the resources it would break, deploys it and registers its types.

import { jobNameOf } from '../../domain/build.ts';
import { ErrorCode, FairleadError } from '../../domain/errors.ts';
import type { Organization } from '../../domain/identity.ts';
import type { PodResources } from '../../domain/pod-resources.ts';
import type { SchemaSandbox } from '../../domain/schema.ts';
import type { BuildRecord, BuildStore } from '../../store/builds/store.ts';
import type { DefinitionStore, ResourceStore } from '../../store/interfaces.ts';
import type { DeployPreview, ProviderRecord, ProviderStore } from '../../store/providers/store.ts';
import type { ResourceQuota } from '../../store/resources/quota.ts';
import { requireSizing } from '../request/sizing-validation.ts';
import { type Found, findIncompatible, inWords, recordOf } from './incompatible-resources.ts';

export interface DeployingDeps {
  readonly builds: Pick<BuildStore, 'get' | 'list'>;
  readonly providers: Pick<ProviderStore, 'find' | 'deploy' | 'previewDeploy'>;
  readonly definitions: Pick<DefinitionStore, 'register'>;
  readonly resources: Pick<ResourceStore, 'list'>;
  readonly schemas: Pick<SchemaSandbox, 'checkSchema' | 'validate'>;
  readonly quota: Pick<ResourceQuota, 'limitsOf'>;
}

export interface Wanted {
  readonly provider: string;
  /** undefined: the newest successful build. */
  readonly version: string | undefined;
  /** Reject a version that would break resources. */
  readonly strict: boolean;
  /** undefined: as it is; so are the next. */
  readonly replicas?: number | undefined;
  readonly resources?: PodResources | undefined;
  /** Change nothing. */
  readonly isPreview?: boolean;
}

export interface Rollout {
  readonly record: ProviderRecord;
  readonly version: string;
  /** A hint for the caller; may be empty. */
  readonly note: string;
  /** Set for a preview. */
  readonly change?: DeployPreview['change'];
}

const maxRounds = 5;
const nothingFound: Found = { committed: 0, misfits: [] };

/**
 * @throws InvalidRequest for a size beyond the limits of the organization
 * @throws FairleadError build_not_found | build_not_successful | schemas_break | conflict, and `unavailable` when the
 *   schemas could not be checked; nothing is changed then
 */
export async function deploy(
  deps: DeployingDeps,
  organization: Organization,
  { provider, version, strict, replicas, resources, isPreview = false }: Wanted,
): Promise<Rollout> {
  const build = await findBuild(deps, organization, { provider, version });
  const before = await deps.providers.find(organization, provider);
  requireSize(deps, organization, { before, replicas, resources });
  const runs = before?.version === build.version;
  // The recorded misfits of a version that is already deployed are checked again.
  const looks = !runs || before.incompatible?.version === build.version;
  if (looks) await requireUsableSchemas(deps, build, organization.namespace);
  const found = looks ? await findIncompatible(deps, organization, build) : nothingFound;
  const note = inWords(build.version, found);
  if (strict && !runs && note !== '') throw new FairleadError(ErrorCode.schemasBreak, note);
  const incompatible = recordOf(build.version, found);
  const deployment = { version: build.version, incompatible, replicas, resources };
  if (isPreview) {
    const preview = await deps.providers.previewDeploy(organization, provider, deployment);
    return { ...preview, version: build.version, note };
  }
  // The version comes before its types: it can be rejected, and then nothing has changed. A crash in between leaves a
  // version without (all of) its types; a repeated request finds the version and registers them.
  const record = await deps.providers.deploy(organization, provider, deployment);
  await registerTypes(deps, organization, build);
  return { record, version: build.version, note };
}

/** Only what the request changes: a deploy must not fail because the limits have been lowered since. */
function requireSize(
  { quota }: DeployingDeps,
  organization: Organization,
  {
    before,
    replicas,
    resources,
  }: Pick<Wanted, 'replicas' | 'resources'> & {
    readonly before: ProviderRecord | undefined;
  },
): void {
  if (replicas === undefined && resources === undefined) return;
  const wanted = {
    replicas: replicas ?? Math.max(1, before?.replicas ?? 1),
    resources: resources ?? before?.resources,
  };
  requireSizing(wanted, quota.limitsOf(organization));
}

async function findBuild(
  { builds }: DeployingDeps,
  organization: Organization,
  { provider, version }: Pick<Wanted, 'provider' | 'version'>,
): Promise<BuildRecord> {
  if (version === undefined) {
    const all = await builds.list(organization, provider);
    const newest = all.find(({ phase }) => phase === 'success');
    if (newest !== undefined) return newest;
    const message = `Provider ${provider} has no successful build`;
    throw new FairleadError(ErrorCode.buildNotFound, message);
  }
  const build = await builds.get(organization, provider, jobNameOf(provider, version));
  if (build.phase === 'success') return build;
  const state = build.phase === 'failed' ? 'failed' : 'has not ended yet';
  const message = `The build of version ${version} of ${provider} ${state}`;
  throw new FairleadError(ErrorCode.buildNotSuccessful, message);
}

/** The build has checked them. But it ran untrusted code, and a registered schema runs with every apply. */
async function requireUsableSchemas(
  { schemas }: DeployingDeps,
  { provider, version, types }: BuildRecord,
  tenant: string,
): Promise<void> {
  for (const { resource, schema } of types) {
    const problems = schema === undefined ? [] : await schemas.checkSchema(schema, tenant);
    if (problems.length === 0) continue;
    const message = `Version ${version} of ${provider} cannot be deployed: the schema of ${resource} is invalid`;
    throw new FairleadError(ErrorCode.buildNotSuccessful, message);
  }
}

/** Two concurrent deployments may register their types in either order: the last check corrects the result. */
async function registerTypes(
  deps: DeployingDeps,
  organization: Organization,
  deployed: BuildRecord,
): Promise<void> {
  const { provider } = deployed;
  let build = deployed;
  for (let round = 0; round < maxRounds; round += 1) {
    for (const { resource, description, schema, timeoutSeconds } of build.types) {
      const type = { provider, resource, description, schema, timeoutSeconds, tags: undefined };
      await deps.definitions.register(organization, type);
    }
    const version = (await deps.providers.find(organization, provider))?.version;
    if (version === undefined || version === build.version) return;
    build = await deps.builds.get(organization, provider, jobNameOf(provider, version));
  }
  const message = 'Another request deployed the provider at the same time; try again';
  throw new FairleadError(ErrorCode.conflict, message);
}
