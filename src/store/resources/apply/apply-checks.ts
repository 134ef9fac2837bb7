// Checks of an apply beside the lifecycle table: project, provider, dependencies and config. They run around the write,
// because a project or a provider may be deleted at the same time.
import type { Resource, ResourceSpec } from '../../../crds/resource.ts';
import { FairleadError, InvalidRequest, type Violation } from '../../../domain/errors.ts';
import {
  keyOf,
  type Organization,
  objectNameOf,
  projectIdOf,
  slashed,
} from '../../../domain/identity.ts';
import { Lifecycle } from '../../../domain/lifecycle.ts';
import { referencesIn } from '../../../domain/references/references.ts';
import { type Key, type KubeClient, keyFor } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ProjectGate } from '../../interfaces.ts';
import { kinds } from '../../kinds.ts';
import type { ProviderGate } from '../../providers/gate.ts';
import { maxRounds, read } from '../../put.ts';
import type { DependencyIndex } from '../dependencies/dependency-index.ts';
import { requireUnused } from '../dependencies/dependents.ts';
import { dependenciesIn, usesOf } from '../dependencies/uses.ts';
import { isProtected, isReadOnly } from '../options.ts';
import { isPendingImport } from './apply-adopt.ts';
import {
  type Accepted,
  type Commit,
  changedByDefault,
  immutablesChangedBy,
  requireImmutable,
} from './immutables.ts';

export interface CheckDeps {
  readonly client: KubeClient;
  readonly projects: ProjectGate;
  readonly providers: ProviderGate;
  readonly dependencies: Pick<DependencyIndex, 'cycleThrough' | 'note' | 'usersOf'>;
  /** The cached object, which may be old; undefined when it has certainly not existed for a while. */
  readonly known: (ref: { namespace: string; name: string }) => Resource | undefined;
  /** The resources that the same request writes, as they would be. */
  readonly planned?: ReadonlyMap<Key, Resource> | undefined;
  /** Resources of the request that are not in the way of a replacement of what they use. */
  readonly replacedTogether?: ReadonlySet<Key> | undefined;
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
      const uses = usesOf(deps, organization.namespace, { spec, existing });
      const wanted = { ...version, changedByDefault: changedByDefault(commit, uses) };
      const accepted = await validateConfig(spec.config as JsonObject, wanted);
      await requireObservable(commit);
      // A failed resource may be tried again as it is: the reconciler explains why it fails.
      if (change !== 'retry') await validateUses?.({ ...uses, typeVersion: accepted });
      const forcedBy = await immutablesChangedBy(commit, uses, accepted);
      if (change !== 'replace') requireImmutable(spec, forcedBy);
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
    const records = [{ ...spec, projectId }];
    await requireUnused(deps, organization, { records, beside: deps.replacedTogether });
  }
  return accepted;
}

/** @throws InvalidRequest when the type cannot do what an import, or an object that is only observed, needs */
async function requireObservable({ plan, existing, validateObserving }: Commit): Promise<void> {
  const { spec } = plan;
  const isImport = isPendingImport({ spec, status: existing?.status });
  const isObserved = isReadOnly(spec);
  const isTakenOver = existing?.status?.management === 'Observed' && !isObserved;
  if (!isImport && !isObserved && !isTakenOver) return;
  await validateObserving?.({
    adopt: isImport ? (spec.adopt as JsonObject) : undefined,
    isObserved,
    isTakenOver,
  });
}

interface CheckedApply {
  readonly organization: Organization;
  readonly project: string;
  /** The stored resource, if it exists. */
  readonly existing: Resource | undefined;
  /** True when this request has created it. */
  readonly brought?: boolean;
  /** The project in the request. */
  readonly asked: string | undefined;
}

/**
 * Called before a resource is created, and right after: a deletion of its project that looked in between has not seen it.
 * @throws InvalidRequest when the project does not exist; a resource that this request created is rolled back
 */
export async function requireOpenProject(
  { projects, client }: CheckDeps,
  { organization, project, existing, brought = false, asked }: CheckedApply,
): Promise<void> {
  const there = await (existing === undefined
    ? projects.isOpen(organization, project)
    : projects.keep(organization, project));
  if (there) return;
  if (existing !== undefined && brought) await rollBackApply(client, existing);
  throw new InvalidRequest([asked === undefined ? projectIsGone(project) : noSuchProject(project)]);
}

/** Like `requireOpenProject`, without a write. @throws InvalidRequest when the project does not exist */
export async function requireExistingProject(
  { projects }: CheckDeps,
  { organization, project, existing, asked }: Omit<CheckedApply, 'brought'>,
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
    if (isGoing) await rollBackApply(client, resource);
    throw thrown;
  }
}

/**
 * Deletes a resource created while its project or provider was deleted. Its event may have been sent, so it takes the usual
 * path.
 */
async function rollBackApply(client: KubeClient, { metadata, spec }: Resource): Promise<void> {
  const { namespace, name, uid } = metadata;
  if (isProtected(spec)) {
    const patch = { metadata: { uid }, spec: { protected: null } };
    await client.patch(kinds.resource, { namespace, name }, patch);
  }
  await client.delete(kinds.resource, { namespace, name }, uid === undefined ? {} : { uid });
}

// Limits dependencies: their number, and no cycles. The index may lag behind the stored resources, so a cycle that it reports is
// read again before an apply is rejected.

type DependencyRulesDeps = Pick<CheckDeps, 'client' | 'planned'> & {
  readonly dependencies: Pick<DependencyIndex, 'cycleThrough' | 'note'>;
};

const maxDependencies = 64;
/** Maximum number of resources of a longer cycle that are read again and named. */
const maxNamed = 20;

/** @throws InvalidRequest */
function requireFewDependencies(spec: ResourceSpec): void {
  const { length } = dependenciesIn(spec);
  if (length <= maxDependencies) return;
  const declared = spec.dependencies?.length ?? 0;
  const msg = `A resource can have at most ${maxDependencies} dependencies, declared or by reference; this one has ${length}`;
  const loc = ['body', declared === length ? 'dependencies' : 'config'];
  throw new InvalidRequest([{ loc, msg, type: 'value_error' }]);
}

/** @throws InvalidRequest when the dependencies of the spec lead back to it */
export async function requireNoCycle(
  { client, dependencies, planned }: DependencyRulesDeps,
  { namespace }: Organization,
  spec: ResourceSpec,
): Promise<void> {
  const wanted = dependenciesIn(spec);
  const start = { ...spec, projectId: projectIdOf({ metadata: { namespace }, spec }) };
  for (let round = 0; wanted.length > 0 && round < maxRounds; round += 1) {
    const cycle = dependencies.cycleThrough(namespace, start, { dependencies: wanted, planned });
    if (cycle === undefined) return;
    const stale = await readAgain({ client, planned }, namespace, cycle);
    if (stale === undefined) throw cycleRefusal(spec, cycle);
    // It does not exist, so it is in no cycle, and the cache will catch up.
    if (stale === 'missing') return;
    dependencies.note(stale);
  }
}

/** @returns the first resource along a cycle that differs from the index */
async function readAgain(
  { client, planned }: Pick<DependencyRulesDeps, 'client' | 'planned'>,
  namespace: string,
  cycle: readonly string[],
): Promise<Resource | 'missing' | undefined> {
  for (const [index, slashedName] of cycle.slice(1, -1).slice(0, maxNamed).entries()) {
    const [provider = '', resource = '', name = ''] = slashedName.split('/');
    const ref = { namespace, name: objectNameOf(keyOf({ provider, resource, name })) };
    // The present request writes it, so it cannot be stale.
    if (planned?.has(keyFor(ref)) === true) continue;
    const found = await read<Resource>(client, kinds.resource, ref);
    if (found === undefined) return 'missing';
    const next = cycle[index + 2];
    if (!dependenciesIn(found.spec).some((each) => slashed(each) === next)) return found;
  }
  return undefined;
}

function cycleRefusal(spec: ResourceSpec, cycle: readonly string[]): InvalidRequest {
  const [, culprit = ''] = cycle;
  const declared = (spec.dependencies ?? []).findIndex((each) => slashed(each) === culprit);
  const references = referencesIn(spec.config as JsonObject);
  const { at = [], text } = references.find(({ to }) => slashed(to) === culprit) ?? {};
  const msg = `The dependencies form a cycle: ${shortCycle(cycle).join(' → ')}`;
  const place =
    declared < 0
      ? { loc: ['body', 'config', ...at], input: text }
      : { loc: ['body', 'dependencies', declared], input: spec.dependencies?.[declared] };
  return new InvalidRequest([{ ...place, msg, type: 'value_error' }]);
}

function shortCycle(cycle: readonly string[]): readonly string[] {
  if (cycle.length <= maxNamed + 1) return cycle;
  return [...cycle.slice(0, maxNamed), '…', ...cycle.slice(-1)];
}
