// One Project object: lookup, conversion to a record, and the checks based on it.
import type { Project } from '../../crds/project.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type Organization, projectNameOf } from '../../domain/identity.ts';
import { type Informer, type KubeClient, keyFor } from '../../kube/api.ts';
import { annotation, kinds } from '../kinds.ts';
import { read } from '../put.ts';
import type { ProjectRecord } from '../records.ts';
import { iso } from '../resources/state.ts';

type ProjectReader = Pick<KubeClient, 'get'>;

/** @returns the project; undefined when it does not exist or is finally being deleted */
export async function findProject(
  client: ProjectReader,
  { namespace }: Pick<Organization, 'namespace'>,
  projectId: string,
): Promise<Project | undefined> {
  const ref = { namespace, name: projectNameOf(projectId) };
  const found = await read<Project>(client, kinds.project, ref);
  if (found?.spec.projectId !== projectId) return undefined;
  return found.metadata.deletionTimestamp === undefined ? found : undefined;
}

export interface ProjectLookup {
  has(namespace: string, projectId: string): Promise<boolean>;
}

/** @returns a lookup that asks the API server on a cache miss: the cache may lag. */
export function createProjectLookup(deps: {
  readonly client: ProjectReader;
  readonly cache: Pick<Informer<Project>, 'get'>;
}): ProjectLookup {
  return {
    async has(namespace, projectId) {
      const cached = deps.cache.get(keyFor({ namespace, name: projectNameOf(projectId) }));
      if (cached?.spec.projectId === projectId) return true;
      return (await findProject(deps.client, { namespace }, projectId)) !== undefined;
    },
  };
}

/** @throws FairleadError `project_not_found` */
export async function requireProject(
  client: ProjectReader,
  organization: Organization,
  projectId: string,
): Promise<Project> {
  const found = await findProject(client, organization, projectId);
  if (found !== undefined) return found;
  throw new FairleadError('project_not_found', `Project not found: ${projectId}`);
}

/** @throws FairleadError `project_managed_by_platform` */
export function refuseManaged({ spec }: Project): void {
  if (spec.managedBy !== 'platform') return;
  const message = `Project ${spec.displayName || spec.projectId} is managed by the platform and cannot be changed`;
  throw new FairleadError('project_managed_by_platform', message);
}

export function projectBusy(projectId: string): FairleadError {
  const message = `Another client changes project ${projectId} at the same time; try again`;
  return new FairleadError('conflict', message);
}

/** @param since when its deletion began; undefined removes the mark */
export function withMark(project: Project, since: Date | undefined): Project {
  const { [annotation.going]: _mark, ...others } = project.metadata.annotations ?? {};
  const mark = since === undefined ? {} : { [annotation.going]: since.toISOString() };
  return { ...project, metadata: { ...project.metadata, annotations: { ...others, ...mark } } };
}

export function projectRecordOf({ id }: Organization, { metadata, spec }: Project): ProjectRecord {
  const createdAt = iso(metadata.creationTimestamp);
  return {
    projectId: spec.projectId,
    organizationId: id,
    name: spec.displayName,
    managedBy: spec.managedBy ?? null,
    requirePlan: spec.requirePlan ?? false,
    createdAt,
    updatedAt: spec.updatedAt === undefined ? createdAt : iso(spec.updatedAt),
  };
}
