// Projects of an organization, as its members see them.
import type { Project } from '../crds/project.ts';
import { ErrorCode, FairleadError } from '../domain/errors.ts';
import { type Organization, projectNameOf } from '../domain/identity.ts';
import type { KubeClient } from '../kube/api.ts';
import { hasReason } from '../kube/errors.ts';
import { translated } from './errors.ts';
import type { ProjectStore } from './interfaces.ts';
import { kinds } from './kinds.ts';
import type { ProjectRecord } from './records.ts';
import { iso } from './resource-state.ts';

export function createProjectStore({ client }: { client: KubeClient }): ProjectStore {
  return {
    list: (organization) =>
      translated(async () => {
        const { namespace } = organization;
        const { items } = await client.list<Project>(kinds.project, { namespace });
        return items
          .filter((item) => item.metadata.deletionTimestamp === undefined)
          .map((item) => recordOf(organization, item))
          .sort((left, right) => (left.projectId < right.projectId ? -1 : 1));
      }),
    get: (organization, projectId) =>
      translated(async () => {
        try {
          const ref = { namespace: organization.namespace, name: projectNameOf(projectId) };
          const found = await client.get<Project>(kinds.project, ref);
          if (found.spec.projectId === projectId) return recordOf(organization, found);
        } catch (thrown) {
          if (!hasReason(thrown, 'notFound')) throw thrown;
        }
        throw new FairleadError(ErrorCode.projectNotFound, `Project not found: ${projectId}`);
      }),
  };
}

/** @returns whether the organization has the project */
export async function projectExists(
  projects: ProjectStore,
  organization: Organization,
  projectId: string,
): Promise<boolean> {
  try {
    await projects.get(organization, projectId);
    return true;
  } catch (thrown) {
    if (thrown instanceof FairleadError && thrown.code === ErrorCode.projectNotFound) return false;
    throw thrown;
  }
}

function recordOf({ id }: Organization, { metadata, spec }: Project): ProjectRecord {
  const createdAt = iso(metadata.creationTimestamp);
  return {
    projectId: spec.projectId,
    organizationId: id,
    name: spec.displayName,
    managedBy: spec.managedBy ?? null,
    createdAt,
    updatedAt: spec.updatedAt === undefined ? createdAt : iso(spec.updatedAt),
  };
}
