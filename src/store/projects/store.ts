// The store of the projects of an organization. Every write is decided on the version it replaces.
import { randomBytes } from 'node:crypto';
import type { Project } from '../../crds/project.ts';
import { FairleadError } from '../../domain/errors.ts';
import {
  defaultProjectId,
  type Organization,
  projectIdFor,
  projectNameOf,
} from '../../domain/identity.ts';
import { allow, type KubeClient, type ScopedRules } from '../../kube/api.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ProjectStore } from '../interfaces.ts';
import { apiVersion, kinds } from '../kinds.ts';
import { maxRounds, put } from '../put.ts';
import type { ProjectRecord, WantedProject } from '../records.ts';
import type { ImportRights } from './import-rights.ts';
import {
  findProject,
  projectBusy,
  projectRecordOf,
  refuseManaged,
  requireProject,
} from './object.ts';
import { removeProject } from './removal.ts';

/** `npm run generate` generates roles from these. */
export const projectRules = {
  cluster: [
    allow(['get', 'list', 'watch', 'create', 'update', 'delete'], 'fairlead.dev', ['projects']),
  ],
} satisfies ScopedRules;

interface ProjectStoreDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
}

export function createProjectStore(deps: ProjectStoreDeps): ProjectStore & ImportRights {
  const { client } = deps;
  return {
    list: async (organization) => {
      const { namespace } = organization;
      const { items } = await client.list<Project>(kinds.project, { namespace });
      return items
        .filter((item) => item.metadata.deletionTimestamp === undefined)
        .map((item) => projectRecordOf(organization, item))
        .sort((left, right) => (left.projectId < right.projectId ? -1 : 1));
    },
    get: async (organization, projectId) =>
      projectRecordOf(organization, await requireProject(client, organization, projectId)),
    mayImport: async (organization, projectId) => {
      const found = await findProject(client, organization, projectId);
      return found?.spec.mayImport === true;
    },
    create: (organization, wanted) => create(client, organization, wanted),
    rename: (organization, projectId, name) => rename(deps, organization, { projectId, name }),
    remove: (organization, projectId) => removeProject(deps, organization, projectId),
  };
}

async function create(
  client: KubeClient,
  organization: Organization,
  { name, projectId: chosen }: WantedProject,
): Promise<ProjectRecord> {
  // Chosen once for all rounds, to recognize a write of unknown outcome.
  const projectId = chosen ?? projectIdFor(name, randomBytes(4).toString('hex'));
  // Also while the project of the platform is missing: it is restored.
  if (projectId === defaultProjectId(organization)) throw taken(projectId);
  const object: Project = {
    apiVersion,
    kind: kinds.project.kind,
    metadata: { name: projectNameOf(projectId), namespace: organization.namespace },
    spec: { projectId, displayName: name },
  };
  for (let round = 0; round < maxRounds; round += 1) {
    const written = await put(client, kinds.project, object);
    const found = written ?? (await findProject(client, organization, projectId));
    if (found === undefined) continue;
    if (found.spec.displayName !== name || found.spec.managedBy === 'platform')
      throw taken(projectId);
    return projectRecordOf(organization, found);
  }
  throw projectBusy(projectId);
}

function taken(projectId: string): FairleadError {
  return new FairleadError('project_exists', `Project ${projectId} exists already`);
}

async function rename(
  { client, clock }: ProjectStoreDeps,
  organization: Organization,
  { projectId, name }: { projectId: string; name: string },
): Promise<ProjectRecord> {
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await requireProject(client, organization, projectId);
    refuseManaged(found);
    if (found.spec.displayName === name) return projectRecordOf(organization, found);
    const spec = { ...found.spec, displayName: name, updatedAt: clock.now().toISOString() };
    const written = await put<Project>(client, kinds.project, { ...found, spec });
    if (written !== undefined) return projectRecordOf(organization, written);
  }
  throw projectBusy(projectId);
}
