// The store of the projects of an organization. Every write is decided on the version it replaces.
import { randomBytes } from 'node:crypto';
import type { Project } from '../../crds/project.ts';
import { FairleadError } from '../../domain/errors.ts';
import {
  defaultProjectPattern,
  type Organization,
  projectIdFor,
  projectNameOf,
} from '../../domain/identity.ts';
import { allow, type KubeClient, type ScopedRules } from '../../kube/api.ts';
import type { ProjectChange, ProjectStore } from '../interfaces.ts';
import { annotation, apiVersion, kinds } from '../kinds.ts';
import { maxRounds, put, type StoreDeps } from '../put.ts';
import type { ProjectRecord, WantedProject } from '../records.ts';
import type { ImportRights } from './import-rights.ts';
import { defaultName } from './names.ts';
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

export function createProjectStore(deps: StoreDeps): ProjectStore & ImportRights {
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
    update: (organization, projectId, change) =>
      updateProject(deps, organization, { projectId, ...change }),
    remove: (organization, projectId) => removeProject(deps, organization, projectId),
  };
}

async function create(
  client: KubeClient,
  organization: Organization,
  { name, projectId: chosen }: WantedProject,
): Promise<ProjectRecord> {
  // The project of the platform as well while it is missing: it is restored.
  if (chosen !== undefined && defaultProjectPattern.test(chosen)) throw projectTaken(chosen);
  const request = randomBytes(4).toString('hex');
  for (let round = 0; round < maxRounds; round += 1) {
    const projectId = chosen ?? (await freeId(client, organization, { name, request }));
    const object: Project = {
      apiVersion,
      kind: kinds.project.kind,
      metadata: {
        name: projectNameOf(projectId),
        namespace: organization.namespace,
        annotations: { [annotation.request]: request },
      },
      spec: { projectId, displayName: name },
    };
    const written = await put(client, kinds.project, object);
    const found = written ?? (await findProject(client, organization, projectId));
    // An equal name does not make a project of another request this one.
    if (found === undefined || (chosen === undefined && !isOfRequest(found, request))) continue;
    requireSameName(found, name);
    return projectRecordOf(organization, found);
  }
  throw projectBusy(chosen ?? name);
}

/** @returns the id of the project that the request has created already, or one for it */
async function freeId(
  client: KubeClient,
  { namespace }: Organization,
  { name, request }: { name: string; request: string },
): Promise<string> {
  const { items } = await client.list<Project>(kinds.project, { namespace });
  const own = items.find((each) => isOfRequest(each, request));
  if (own !== undefined) return own.spec.projectId;
  const isTaken = (id: string) =>
    id === defaultName ||
    items.some(({ spec }) => spec.projectId === id || spec.displayName === id);
  return projectIdFor(name, request, isTaken);
}

function isOfRequest({ metadata }: Project, request: string): boolean {
  return metadata.annotations?.[annotation.request] === request;
}

function requireSameName({ spec }: Project, name: string): void {
  if (spec.displayName !== name || spec.managedBy === 'platform')
    throw projectTaken(spec.projectId);
}

function projectTaken(projectId: string): FairleadError {
  return new FairleadError('project_exists', `Project ${projectId} exists already`);
}

async function updateProject(
  { client, clock }: StoreDeps,
  organization: Organization,
  { projectId, name, requirePlan }: ProjectChange & { readonly projectId: string },
): Promise<ProjectRecord> {
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await requireProject(client, organization, projectId);
    refuseManaged(found);
    const { displayName, requirePlan: required = false } = found.spec;
    const next = { displayName: name ?? displayName, requirePlan: requirePlan ?? required };
    if (next.displayName === displayName && next.requirePlan === required) {
      return projectRecordOf(organization, found);
    }
    const spec = { ...found.spec, ...next, updatedAt: clock.now().toISOString() };
    const written = await put<Project>(client, kinds.project, { ...found, spec });
    if (written !== undefined) return projectRecordOf(organization, written);
  }
  throw projectBusy(projectId);
}
