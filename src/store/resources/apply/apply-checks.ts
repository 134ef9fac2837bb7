// Checks of an apply beside the lifecycle table: project, provider, dependencies and config. They run around the write,
// because a project or a provider may be deleted at the same time.
import type { Resource } from '../../../crds/resource.ts';
import { FairleadError, InvalidRequest, type Violation } from '../../../domain/errors.ts';
import type { Organization } from '../../../domain/identity.ts';
import { projectIdOf } from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import type { FieldPath } from '../../../domain/schemas/immutable-fields.ts';
import type { KubeClient } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type {
  ImmutableFields,
  ProjectGate,
  ValidateConfig,
  ValidateObserving,
  ValidateUses,
} from '../../interfaces.ts';
import { kinds } from '../../kinds.ts';
import type { ProviderGate } from '../../providers/gate.ts';
import type { DependencyIndex } from '../dependencies/dependency-index.ts';
import { requireUnused } from '../dependencies/dependents.ts';
import { usesOf } from '../dependencies/uses.ts';
import { hasReplacementFailed } from '../state.ts';
import { isPendingImport } from './apply-adopt.ts';
import { immutable, immutablesChanged } from './apply-immutables.ts';
import type { WritePlan } from './apply-plan.ts';
import { requireFewDependencies, requireNoCycle } from './dependency-limits.ts';

export interface CheckDeps {
  readonly client: KubeClient;
  readonly projects: ProjectGate;
  readonly providers: ProviderGate;
  readonly dependencies: Pick<DependencyIndex, 'cycleThrough' | 'note' | 'usersOf'>;
  /** The cached object, which may be old; undefined when it has certainly not existed for a while. */
  readonly known: (ref: { namespace: string; name: string }) => Resource | undefined;
}

export interface Commit {
  readonly plan: WritePlan;
  readonly existing: Resource | undefined;
  readonly validateConfig: ValidateConfig;
  readonly validateUses?: ValidateUses | undefined;
  readonly validateObserving?: ValidateObserving | undefined;
  readonly immutableFields?: ImmutableFields | undefined;
}

export interface Accepted {
  /** Version of the type that the config has. */
  readonly version: number | undefined;
  /** Paths of the immutable fields that a replacement changes. */
  readonly forcedBy: readonly FieldPath[];
}

export async function requireValid(
  deps: CheckDeps,
  organization: Organization,
  commit: Commit,
): Promise<Accepted> {
  const { plan, existing, validateConfig, validateUses } = commit;
  const { spec, change, version } = plan;
  requireFewDependencies(spec);
  deps.providers.requireNotKnownToGo(organization, spec.provider);
  // A created resource is checked after the write.
  if (existing !== undefined) await deps.providers.requireOpen(organization, spec.provider);
  const checks = async () => {
    try {
      const accepted = await validateConfig(spec.config as JsonObject, version);
      await requireObservable(commit);
      const uses = usesOf(deps, organization.namespace, { spec, existing });
      // A failed resource may be tried again as it is: the reconciler explains why it fails.
      if (change !== 'retry') await validateUses?.({ ...uses, typeVersion: accepted });
      const goesOn = change === 'retry' && existing !== undefined && hasReplacementFailed(existing);
      // The provider changes nothing of an object that is only observed.
      const isFree = goesOn || spec.management === 'Observed';
      const forcedBy = isFree ? [] : await immutablesChanged(commit, uses, accepted);
      if (change !== 'replace' && forcedBy.length > 0) throw immutable(spec, forcedBy);
      return { version: accepted, forcedBy };
    } catch (thrown) {
      // Types are deleted with their provider, so they may be missing before this replica's cache shows it.
      await deps.providers.requireOpen(organization, spec.provider);
      throw thrown;
    }
  };
  const accepted = await checks();
  await requireNoCycle(deps, organization, spec);
  if (change === 'replace') {
    const projectId = projectIdOf({ metadata: organization, spec });
    await requireUnused(deps, organization, { records: [{ ...spec, projectId }] });
  }
  return accepted;
}

/** @throws InvalidRequest when the type cannot do what an import, or an object that is only observed, needs */
async function requireObservable({ plan, existing, validateObserving }: Commit): Promise<void> {
  const { spec } = plan;
  const isImport = isPendingImport({ spec, status: existing?.status });
  const isObserved = spec.management === 'Observed';
  if (!isImport && !isObserved) return;
  await validateObserving?.({
    adopt: isImport ? (spec.adopt as JsonObject) : undefined,
    isObserved,
  });
}

interface CheckedApply {
  readonly organization: Organization;
  readonly project: string;
  /** The stored resource, if it exists. */
  readonly existing: Resource | undefined;
  /** True when this request may have created it. */
  readonly tried: boolean;
  /** The project in the request. */
  readonly asked: string | undefined;
}

/**
 * Called before a resource is created, and right after: a deletion of its project that looked in between has not seen it.
 * @throws InvalidRequest when the project does not exist; a resource that this request created is rolled back
 */
export async function requireProject(
  { projects, client }: CheckDeps,
  { organization, project, existing, tried, asked }: CheckedApply,
): Promise<void> {
  const there = await (existing === undefined
    ? projects.isOpen(organization, project)
    : projects.keep(organization, project));
  if (there) return;
  if (existing !== undefined && tried) await takeBack(client, existing);
  throw new InvalidRequest([asked === undefined ? projectIsGone(project) : noSuchProject(project)]);
}

/** Like `requireProject`, without a write. @throws InvalidRequest when the project does not exist */
export async function requireExistingProject(
  { projects }: CheckDeps,
  { organization, project, existing, asked }: Omit<CheckedApply, 'tried'>,
): Promise<void> {
  const there = await (existing === undefined
    ? projects.isOpen(organization, project)
    : projects.exists(organization, project));
  if (there) return;
  throw new InvalidRequest([asked === undefined ? projectIsGone(project) : noSuchProject(project)]);
}

function noSuchProject(project: string): Violation {
  return {
    loc: ['body', 'project_id'],
    msg: 'The project does not exist',
    type: 'value_error',
    input: project,
  };
}

/** The caller sent no project: the resource or the removal of the project came from kubectl. */
function projectIsGone(project: string): Violation {
  const msg = `The project "${project}" of this resource does not exist; create a project with this id, or delete the resource and apply it again`;
  return { loc: ['body'], msg, type: 'value_error' };
}

/** @throws FairleadError `provider_deleting`; then a resource that it created is rolled back */
export async function keepOnlyIfOpen(
  { providers, client }: CheckDeps,
  organization: Organization,
  { resource, brought }: { resource: Resource; brought: boolean },
): Promise<void> {
  const { lifecycle, provider } = resource.spec;
  if (!brought || lifecycle === Lifecycle.Draft) return;
  try {
    await providers.requireOpen(organization, provider);
  } catch (thrown) {
    const isGoing = thrown instanceof FairleadError && thrown.code === 'provider_deleting';
    if (isGoing) await takeBack(client, resource);
    throw thrown;
  }
}

/**
 * Deletes a resource created while its project or provider was deleted. Its event may have been sent, so it takes the usual
 * path.
 */
async function takeBack(client: KubeClient, { metadata, spec }: Resource): Promise<void> {
  const { namespace, name, uid } = metadata;
  if (spec.protected === true) {
    const patch = { metadata: { uid }, spec: { protected: null } };
    await client.patch(kinds.resource, { namespace, name }, patch);
  }
  await client.delete(kinds.resource, { namespace, name }, uid === undefined ? {} : { uid });
}
