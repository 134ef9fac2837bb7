// The store of resources for the HTTP API. Reads go to the API server, so every replica shows every acknowledged write.
// Every write carries the resourceVersion it was decided on, or creates; a lost race decides again.
import { type Resource, resourceFinalizer } from '../../crds/resource.ts';
import type { Clock } from '../../domain/clock.ts';
import { ErrorCode, FairleadError, InvalidRequest, type Violation } from '../../domain/errors.ts';
import {
  defaultProjectId,
  keyOf,
  type Organization,
  objectNameOf,
  slashed,
} from '../../domain/identity.ts';
import type { JsonObject } from '../../domain/json.ts';
import { Lifecycle } from '../../domain/lifecycle.ts';
import type { KubeClient } from '../../kube/api.ts';
import { translated } from '../errors.ts';
import type { ApplyOptions, ProjectGate, ResourceStore, ValidateConfig } from '../interfaces.ts';
import { createKeyedSemaphore } from '../keyed-semaphore.ts';
import { annotation, apiVersion, kinds, label } from '../kinds.ts';
import type { ProviderGate } from '../providers/gate.ts';
import { maximumRounds, put, read } from '../put.ts';
import type { ProjectScope, ResourceRecord, WantedResource } from '../records.ts';
import { type ApplyPlan, planApply } from './apply-plan.ts';
import { requestDeletion } from './deletion.ts';
import type { DependencyIndex } from './dependency-index.ts';
import { requireFewDependencies, requireNoCycle } from './dependency-limits.ts';
import { requireUnused } from './dependents.ts';
import { listResources } from './list.ts';
import { find, isVisible, notFound } from './lookup.ts';
import type { ResourceQuota } from './quota.ts';
import { recordOf } from './state.ts';

/** Per organization: each page may be some megabytes, and its objects are dropped when they are in the cache. */
const pagesAtATime = 2;

interface ResourceStoreDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly projects: ProjectGate;
  readonly providers: ProviderGate;
  readonly quota: ResourceQuota;
  /** The cached object, which may be old; undefined when it has certainly not existed for a while. */
  readonly known: (ref: { namespace: string; name: string }) => Resource | undefined;
  readonly dependencies: Pick<DependencyIndex, 'usersOf' | 'cycleThrough' | 'note'>;
}

export function createResourceStore(deps: ResourceStoreDeps): ResourceStore {
  const { client } = deps;
  const reading = { ...deps, pageReads: createKeyedSemaphore(pagesAtATime) };
  return {
    list: (organization, filter) => translated(() => listResources(reading, organization, filter)),
    get: (organization, address, options) =>
      translated(async () => {
        const found = await find(client, organization, address);
        if (found === undefined || !isVisible(found, options)) throw notFound(address);
        return recordOf(found);
      }),
    apply: (organization, wanted, { scope, ...rest }) =>
      translated(() => apply(deps, organization, { wanted: scoped(wanted, scope), ...rest })),
    requestDeletion: (organization, address, options) =>
      translated(() => requestDeletion(deps, organization, { address, ...options })),
    requireUnused: (organization, records, leaving) =>
      translated(() => requireUnused(deps, organization, { records, leaving })),
  };
}

/** A caller confined to a project applies into that project when it names none. */
function scoped(wanted: WantedResource, scope: ProjectScope): WantedResource {
  if (scope === undefined) return wanted;
  if (wanted.projectId === undefined) return { ...wanted, projectId: scope };
  if (wanted.projectId === scope) return wanted;
  throw new FairleadError(ErrorCode.outsideProject, 'The token is confined to another project');
}

async function apply(
  deps: ResourceStoreDeps,
  organization: Organization,
  { wanted, validateConfig, by }: Omit<ApplyOptions, 'scope'> & { wanted: WantedResource },
): Promise<ResourceRecord> {
  const ref = { namespace: organization.namespace, name: objectNameOf(keyOf(wanted.tuple)) };
  let existing = await firstLook(deps, organization, ref);
  let tried = false;
  for (let round = 0; round < maximumRounds; round += 1) {
    const plan = planApply(existing, wanted, defaultProjectId(organization));
    if (plan.do === 'refuse') throw plan.error;
    const at = { organization, project: plan.spec.project, asked: wanted.projectId };
    await requireProject(deps, { ...at, existing, tried });
    if (plan.do === 'leave') {
      await keepOnlyIfOpen(deps, organization, { resource: plan.existing, brought: tried });
      return recordOf(plan.existing);
    }
    if (plan.commits) await requireValid(deps, organization, { plan, existing, validateConfig });
    const object = objectFor(ref, existing, { spec: plan.spec, now: deps.clock.now(), by });
    tried ||= existing === undefined;
    const written = await store(deps, organization, object);
    if (written !== undefined) {
      const brought = existing === undefined;
      if (brought) await requireProject(deps, { ...at, existing: written, tried });
      await keepOnlyIfOpen(deps, organization, { resource: written, brought });
      deps.dependencies.note(written);
      return recordOf(written);
    }
    existing = await read<Resource>(deps.client, kinds.resource, ref);
  }
  throw new FairleadError(
    ErrorCode.conflict,
    `Another client changes resource ${slashed(wanted.tuple)} at the same time; try again`,
  );
}

function firstLook(
  { client, known, quota }: ResourceStoreDeps,
  organization: Organization,
  ref: { namespace: string; name: string },
): Promise<Resource | undefined> {
  // With a full quota, a resource missing in this replica's cache must not be rejected as a new one.
  const look = known(ref) !== undefined || quota.refusal(organization) !== undefined;
  return look ? read<Resource>(client, kinds.resource, ref) : Promise.resolve(undefined);
}

/** @throws FairleadError when the quota is exceeded */
function store(
  { client, quota }: ResourceStoreDeps,
  organization: Organization,
  object: Resource,
): Promise<Resource | undefined> {
  const refusal = quota.refusalOf(organization, object);
  return refusal === undefined ? put(client, kinds.resource, object) : Promise.reject(refusal);
}

interface Commit {
  readonly plan: Extract<ApplyPlan, { do: 'write' }>;
  readonly existing: Resource | undefined;
  readonly validateConfig: ValidateConfig;
}

async function requireValid(
  deps: ResourceStoreDeps,
  organization: Organization,
  { plan: { spec }, existing, validateConfig }: Commit,
): Promise<void> {
  requireFewDependencies(spec);
  deps.providers.requireNotKnownToGo(organization, spec.provider);
  // A created resource is checked after the write.
  if (existing !== undefined) await deps.providers.requireOpen(organization, spec.provider);
  try {
    await validateConfig(spec.config as JsonObject);
  } catch (thrown) {
    // Types are deleted with their provider, so they may be missing before this replica's cache shows it.
    await deps.providers.requireOpen(organization, spec.provider);
    throw thrown;
  }
  await requireNoCycle(deps, organization, spec);
}

interface Entry {
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
async function requireProject(
  { projects, client }: ResourceStoreDeps,
  { organization, project, existing, tried, asked }: Entry,
): Promise<void> {
  const there = await (existing === undefined
    ? projects.isOpen(organization, project)
    : projects.keep(organization, project));
  if (there) return;
  if (existing !== undefined && tried) await takeBack(client, existing);
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
async function keepOnlyIfOpen(
  { providers, client }: ResourceStoreDeps,
  organization: Organization,
  { resource, brought }: { resource: Resource; brought: boolean },
): Promise<void> {
  const { lifecycle, provider } = resource.spec;
  if (!brought || lifecycle === Lifecycle.Draft) return;
  try {
    await providers.requireOpen(organization, provider);
  } catch (thrown) {
    const isGoing = thrown instanceof FairleadError && thrown.code === ErrorCode.providerDeleting;
    if (isGoing) await takeBack(client, resource);
    throw thrown;
  }
}

/**
 * Deletes a resource created while its project or provider was deleted. Its event may have been sent, so it takes the usual
 * path.
 */
async function takeBack(client: KubeClient, { metadata }: Resource): Promise<void> {
  const { namespace, name, uid } = metadata;
  await client.delete(kinds.resource, { namespace, name }, uid === undefined ? {} : { uid });
}

function objectFor(
  ref: { namespace: string; name: string },
  existing: Resource | undefined,
  { spec, now, by }: { spec: Resource['spec']; now: Date; by: string | undefined },
): Resource {
  const head = { apiVersion, kind: kinds.resource.kind };
  const stamp = {
    [annotation.updatedAt]: now.toISOString(),
    ...(by === undefined ? {} : { [annotation.appliedBy]: by }),
  };
  if (existing !== undefined) {
    const annotations = { ...existing.metadata.annotations, ...stamp };
    return { ...existing, ...head, metadata: { ...existing.metadata, annotations }, spec };
  }
  const labels = { [label.provider]: spec.provider };
  const finalizers = [resourceFinalizer];
  return { ...head, metadata: { ...ref, finalizers, labels, annotations: stamp }, spec };
}
