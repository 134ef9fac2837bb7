// Resources for the HTTP side: intent in, records out. Reads go to the API server, so every replica shows every
// acknowledged write. Every write carries the resourceVersion it was decided on, or creates; a lost race decides again.
import { type Resource, resourceFinalizer } from '../crds/resource.ts';
import type { Clock } from '../domain/clock.ts';
import { ErrorCode, FairleadError, InvalidRequest } from '../domain/errors.ts';
import {
  defaultProjectId,
  keyOf,
  type Organization,
  objectNameOf,
  slashed,
} from '../domain/identity.ts';
import type { JsonObject } from '../domain/json.ts';
import type { KubeClient } from '../kube/api.ts';
import { planApply } from './apply-plan.ts';
import type { DependencyIndex } from './dependency-index.ts';
import { requireFewDependencies, requireNoCycle } from './dependency-rules.ts';
import { translated } from './errors.ts';
import type { Admit, ProjectDoor, ResourceStore } from './interfaces.ts';
import { annotation, apiVersion, kinds, label } from './kinds.ts';
import { pagesOf } from './pages.ts';
import { cursorOf, readCursor } from './paging.ts';
import { maximumRounds, put, read } from './put.ts';
import { createReadingTurns, type ReadingTurns } from './reading-turns.ts';
import type {
  ProjectScope,
  ResourceFilter,
  ResourcePage,
  ResourceRecord,
  WantedResource,
} from './records.ts';
import { requestDeletion } from './resource-deletion.ts';
import { find, isVisible, notFound } from './resource-lookup.ts';
import type { ResourceRoom } from './resource-room.ts';
import { recordOf, stateOf } from './resource-state.ts';
import { requireUnused } from './resource-users.ts';

/** Of one organization at a time: each page may be some megabytes, and what it holds is let go if it is remembered anyway. */
const pagesAtATime = 2;

interface ResourceStoreDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly projects: ProjectDoor;
  readonly room: ResourceRoom;
  /** What is remembered of an object, which may be old; undefined when it surely has not been there for a while. */
  readonly known: (ref: { namespace: string; name: string }) => Resource | undefined;
  readonly dependencies: Pick<DependencyIndex, 'usersOf' | 'cycleThrough' | 'note'>;
}

export function createResourceStore(deps: ResourceStoreDeps): ResourceStore {
  const { client } = deps;
  const reading = { ...deps, turns: createReadingTurns(pagesAtATime) };
  return {
    list: (organization, filter) => translated(() => list(reading, organization, filter)),
    get: (organization, address, scope) =>
      translated(async () => {
        const found = await find(client, organization, address);
        if (found === undefined || !isVisible(found, scope)) throw notFound(address);
        return recordOf(found);
      }),
    apply: (organization, wanted, { scope, admit }) =>
      translated(() => apply(deps, organization, { wanted: scoped(wanted, scope), admit })),
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

interface ReadingDeps extends Pick<ResourceStoreDeps, 'client' | 'known'> {
  readonly turns: ReadingTurns;
}

async function list(
  deps: ReadingDeps,
  organization: Organization,
  filter: ResourceFilter,
): Promise<ResourcePage> {
  const after = filter.cursor === undefined ? undefined : readCursor(filter.cursor);
  const found = await readAll(deps, organization, filter);
  const sorted = found
    .map((resource) => ({ at: sortKey(resource), resource }))
    .filter(({ at }) => after === undefined || at > after)
    .sort((left, right) => (left.at < right.at ? -1 : 1));
  const limit = filter.limit ?? sorted.length;
  const last = sorted.length > limit ? sorted[limit - 1] : undefined;
  return {
    records: sorted.slice(0, limit).map(({ resource }) => recordOf(resource)),
    next: last === undefined ? undefined : cursorOf(last.at),
  };
}

async function readAll(
  { client, known, turns }: ReadingDeps,
  { namespace }: Organization,
  filter: ResourceFilter,
): Promise<readonly Resource[]> {
  const found: Resource[] = [];
  const fieldSelector = selectorOf(filter);
  const where = { namespace, ...(fieldSelector === '' ? {} : { fieldSelector }) };
  const pages = pagesOf<Resource>(client, kinds.resource, where, (read) =>
    turns.take(namespace, read),
  );
  for await (const resource of pages) {
    if (!matches(resource, filter)) continue;
    // What is remembered already is not held twice: lists of large resources, read at a time, took all memory.
    const remembered = known({ namespace, name: resource.metadata.name });
    const isSame = remembered?.metadata.resourceVersion === resource.metadata.resourceVersion;
    found.push(isSame ? (remembered ?? resource) : resource);
  }
  return found;
}

// Only patterns that the field selector syntax cannot misread get here; everything else is compared in memory.
function selectorOf({ provider, resource }: ResourceFilter): string {
  const parts = [];
  if (provider !== undefined && /^[a-z0-9-]+$/.test(provider))
    parts.push(`spec.provider=${provider}`);
  if (resource !== undefined && /^[a-z0-9_-]+$/.test(resource))
    parts.push(`spec.resource=${resource}`);
  return parts.join(',');
}

function matches(resource: Resource, filter: ResourceFilter): boolean {
  const { spec } = resource;
  const { provider, resource: type, tags = [], state, projectId } = filter;
  return (
    stateOf(resource) !== 'deleting' &&
    (provider === undefined || spec.provider === provider) &&
    (type === undefined || spec.resource === type) &&
    (projectId === undefined || spec.project === projectId) &&
    (state === undefined || stateOf(resource) === state) &&
    tags.every((tag) => spec.tags?.includes(tag) === true)
  );
}

// U+0000 cannot occur in a name, so a shorter part sorts before a longer one that begins with it.
function sortKey({ spec }: Resource): string {
  return [spec.provider, spec.resource, spec.name].join('\u0000');
}

async function apply(
  deps: ResourceStoreDeps,
  organization: Organization,
  { wanted, admit }: { wanted: WantedResource; admit: Admit },
): Promise<ResourceRecord> {
  const ref = { namespace: organization.namespace, name: objectNameOf(keyOf(wanted.tuple)) };
  let existing = await firstLook(deps, organization, ref);
  let tried = false;
  for (let round = 0; round < maximumRounds; round += 1) {
    const plan = planApply(existing, wanted, defaultProjectId(organization));
    if (plan.do === 'refuse') throw plan.error;
    const at = { organization, project: plan.spec.project };
    await requireProject(deps, { ...at, existing, tried });
    if (plan.do === 'leave') return recordOf(plan.existing);
    if (plan.commits) await requireAdmitted(deps, organization, { spec: plan.spec, admit });
    const object = objectFor(ref, existing, { spec: plan.spec, now: deps.clock.now() });
    tried ||= existing === undefined;
    const written = await store(deps, organization, object);
    if (written !== undefined) {
      if (existing === undefined) await requireProject(deps, { ...at, existing: written, tried });
      deps.dependencies.note(written);
      return recordOf(written);
    }
    existing = await read<Resource>(deps.client, kinds.resource, ref);
  }
  throw new FairleadError(
    ErrorCode.conflict,
    `Resource ${slashed(wanted.tuple)} is being changed by others at the same time; try again`,
  );
}

function firstLook(
  { client, known, room }: ResourceStoreDeps,
  organization: Organization,
  ref: { namespace: string; name: string },
): Promise<Resource | undefined> {
  // Where there is no room, what this replica has not heard of yet must not be refused as something new.
  const look = known(ref) !== undefined || room.refusal(organization) !== undefined;
  return look ? read<Resource>(client, kinds.resource, ref) : Promise.resolve(undefined);
}

/** @throws FairleadError when there is no room for it */
function store(
  { client, room }: ResourceStoreDeps,
  organization: Organization,
  object: Resource,
): Promise<Resource | undefined> {
  const refusal = room.refusalOf(organization, object);
  return refusal === undefined ? put(client, kinds.resource, object) : Promise.reject(refusal);
}

async function requireAdmitted(
  deps: ResourceStoreDeps,
  organization: Organization,
  { spec, admit }: { spec: Resource['spec']; admit: Admit },
): Promise<void> {
  requireFewDependencies(spec);
  await admit(spec.config as JsonObject);
  await requireNoCycle(deps, organization, spec);
}

interface Entry {
  readonly organization: Organization;
  readonly project: string;
  /** The resource, once it is there. */
  readonly existing: Resource | undefined;
  /** Whether it may be this request that brought it there. */
  readonly tried: boolean;
}

/**
 * Before a resource is created, and again as soon as it is there: a deletion of its project that looked in between has not
 * seen it. @throws InvalidRequest when there is no such project; a resource that this request brought is taken back
 */
async function requireProject(
  { projects, client }: ResourceStoreDeps,
  { organization, project, existing, tried }: Entry,
): Promise<void> {
  const there = await (existing === undefined
    ? projects.isOpen(organization, project)
    : projects.keep(organization, project));
  if (there) return;
  if (existing !== undefined && tried) await takeBack(client, existing);
  const loc = ['body', 'project_id'];
  throw new InvalidRequest([{ loc, msg: 'No such project', type: 'value_error', input: project }]);
}

/** What was let into a project in the moment in which it went. It may have been sent already, so it goes the usual way. */
async function takeBack(client: KubeClient, { metadata }: Resource): Promise<void> {
  const { namespace, name, uid } = metadata;
  await client.delete(kinds.resource, { namespace, name }, uid === undefined ? {} : { uid });
}

function objectFor(
  ref: { namespace: string; name: string },
  existing: Resource | undefined,
  { spec, now }: { spec: Resource['spec']; now: Date },
): Resource {
  const head = { apiVersion, kind: kinds.resource.kind };
  const stamp = { [annotation.updatedAt]: now.toISOString() };
  if (existing !== undefined) {
    const annotations = { ...existing.metadata.annotations, ...stamp };
    return { ...existing, ...head, metadata: { ...existing.metadata, annotations }, spec };
  }
  const labels = { [label.provider]: spec.provider };
  const finalizers = [resourceFinalizer];
  return { ...head, metadata: { ...ref, finalizers, labels, annotations: stamp }, spec };
}
