// Deploys a version: finds its build, counts the resources that do not fit it, and makes it the wanted one. The controller stores its
// types, which are in force from the moment at which it serves.
import { FairleadError, InvalidRequest } from '../../domain/errors.ts';
import { type Organization, slashed } from '../../domain/identity.ts';
import type { Limits } from '../../domain/limits.ts';
import { jobNameOf } from '../../domain/providers/build.ts';
import {
  type PodResources,
  type Sizing,
  sizingProblems,
} from '../../domain/providers/pod-resources.ts';
import type { SchemaSandbox } from '../../domain/schemas/schema.ts';
import type { BuildRecord, BuildStore } from '../../store/builds/store.ts';
import type { DefinitionStore, ResourceStore } from '../../store/interfaces.ts';
import type { DeployPreview, ProviderRecord, ProviderStore } from '../../store/providers/store.ts';
import type { ResourceQuota } from '../../store/resources/apply/quota.ts';
import {
  findIncompatible,
  type IncompatibleFindings,
  incompatibleRecord,
  misfitsInWords,
  newerInWords,
} from './incompatible-resources.ts';

export interface DeployingDeps {
  readonly builds: Pick<BuildStore, 'get' | 'list'>;
  readonly providers: Pick<ProviderStore, 'find' | 'deploy' | 'previewDeploy'>;
  readonly definitions: Pick<DefinitionStore, 'list' | 'registerBuilt'>;
  readonly resources: Pick<ResourceStore, 'list' | 'readers'>;
  readonly schemas: Pick<SchemaSandbox, 'checkSchema' | 'validate'>;
  readonly quota: Pick<ResourceQuota, 'limitsOf'>;
}

interface VersionToDeploy {
  readonly provider: string;
  /** undefined: the newest successful build. */
  readonly version: string | undefined;
  /** Reject a version that would break resources. */
  readonly strict: boolean;
  /** Accept a version that lacks types with resources. */
  readonly retireTypes: boolean;
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

const nothingFound: IncompatibleFindings = {
  committed: 0,
  misfits: [],
  readers: [],
  newer: [],
  withoutType: [],
};

/**
 * @throws InvalidRequest for a size beyond the limits of the organization
 * @throws FairleadError build_not_found | build_not_successful | schemas_break | type_in_use | conflict, and `unavailable` when the
 *   schemas could not be checked; nothing is changed then
 */
export async function deployBuild(
  deps: DeployingDeps,
  organization: Organization,
  {
    provider,
    version,
    strict,
    retireTypes,
    replicas,
    resources,
    isPreview = false,
  }: VersionToDeploy,
): Promise<Rollout> {
  const build = await findBuild(deps, organization, { provider, version });
  const before = await deps.providers.find(organization, provider);
  requireSize(deps, organization, { before, replicas, resources });
  const runs = before?.version === build.version;
  // The recorded misfits of a version that is already deployed are checked again.
  const looks = !runs || before.incompatible?.version === build.version;
  if (looks) await requireUsableSchemas(deps, build, organization.namespace);
  const found = looks
    ? await findIncompatible(deps, organization, { provider, types: build.types })
    : nothingFound;
  const misfits = misfitsInWords(`the types of version ${build.version}`, found);
  if (strict && !runs && misfits !== '') throw new FairleadError('schemas_break', misfits);
  const note = [misfits, newerInWords(build.version, found)]
    .filter((each) => each !== '')
    .join('. ');
  if (!retireTypes && !runs) await requireTypes(deps, organization, { build, found });
  const incompatible = incompatibleRecord(build.version, found);
  const deployment = { version: build.version, incompatible, replicas, resources };
  if (isPreview) {
    const preview = await deps.providers.previewDeploy(organization, provider, deployment);
    return { ...preview, version: build.version, note };
  }
  const record = await deps.providers.deploy(organization, provider, deployment);
  if (record.servingVersion === build.version) {
    const types = build.types.map((type) => ({ provider, tags: undefined, ...type }));
    await deps.definitions.registerBuilt(organization, { version: build.version, types });
  }
  return { record, version: build.version, note };
}

const maxNamed = 20;

/** @throws FairleadError type_in_use for resources of a type that the version lacks, unless the type is retired already */
async function requireTypes(
  { definitions }: DeployingDeps,
  organization: Organization,
  {
    build: { provider, version },
    found: { withoutType },
  }: { build: BuildRecord; found: IncompatibleFindings },
): Promise<void> {
  if (withoutType.length === 0) return;
  const all = await definitions.list(organization);
  const inForce = new Set(
    all.flatMap((each) =>
      each.provider === provider && each.retired === null ? [each.resource] : [],
    ),
  );
  const left = withoutType.filter(({ resource }) => inForce.has(resource));
  if (left.length === 0) return;
  const types = [...new Set(left.map(({ resource }) => resource))].sort();
  const which = types.length === 1 ? `type ${types[0]}` : `types ${types.join(', ')}`;
  const has = types.length === 1 ? 'which has' : 'which have';
  const many = left.length === 1 ? '1 resource' : `${left.length} resources`;
  const message = `Version ${version} of ${provider} lacks ${which}, ${has} ${many}`;
  const resources = left.slice(0, maxNamed).map(slashed);
  const context = { provider, version, types, resource_count: left.length, resources };
  throw new FairleadError('type_in_use', message, { context });
}

/** Only what the request changes: a deploy must not fail because the limits have been lowered since. */
function requireSize(
  { quota }: DeployingDeps,
  organization: Organization,
  {
    before,
    replicas,
    resources,
  }: Pick<VersionToDeploy, 'replicas' | 'resources'> & {
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
  { provider, version }: Pick<VersionToDeploy, 'provider' | 'version'>,
): Promise<BuildRecord> {
  if (version === undefined) {
    const all = await builds.list(organization, provider);
    const newest = all.find(({ phase }) => phase === 'success');
    if (newest !== undefined) return newest;
    const message = `Provider ${provider} has no successful build`;
    throw new FairleadError('build_not_found', message);
  }
  const build = await builds.get(organization, provider, jobNameOf(provider, version));
  if (build.phase === 'success') return build;
  const state = build.phase === 'failed' ? 'failed' : 'has not ended yet';
  const message = `The build of version ${version} of ${provider} ${state}`;
  throw new FairleadError('build_not_successful', message);
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
    throw new FairleadError('build_not_successful', message);
  }
}

/** @throws InvalidRequest naming field, rule and what to do */
function requireSizing(sizing: Sizing, limits: Limits): void {
  const problems = sizingProblems(sizing, limits);
  if (problems.length === 0) return;
  throw new InvalidRequest(
    problems.map(({ at, rule }) => ({ loc: ['body', ...at], msg: rule, type: 'limit' })),
  );
}
