// Decides whether a project accepts resources. A deletion and an apply agree without a lock: the deletion marks the project
// before it looks for resources; an apply looks for the mark after its write. One of the two sees the other.
import type { Project } from '../../crds/project.ts';
import { defaultProjectId, type Organization } from '../../domain/identity.ts';
import type { KubeClient } from '../../kube/api.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ProjectGate } from '../interfaces.ts';
import { annotation, kinds } from '../kinds.ts';
import { maxRounds, put, type StoreDeps } from '../put.ts';
import { findProject, projectBusy, withMark } from './object.ts';

// A deletion takes a fraction of this, or has crashed. Only waiting times depend on it.
const deletionMs = 30_000;

export function createProjectGate({ client, clock }: StoreDeps): ProjectGate {
  return {
    async isOpen(organization, projectId) {
      // We never delete the platform's project, and restore it when others do.
      if (projectId === defaultProjectId(organization)) return true;
      const found = await findProject(client, organization, projectId);
      return found !== undefined && !isGoing(found, clock);
    },
    async exists(organization, projectId) {
      if (projectId === defaultProjectId(organization)) return true;
      return (await findProject(client, organization, projectId)) !== undefined;
    },
    keep(organization, projectId) {
      if (projectId === defaultProjectId(organization)) return Promise.resolve(true);
      return keepOpen(client, organization, projectId);
    },
    async requiresPlan(organization, projectId) {
      // Users cannot change the platform's project.
      if (projectId === defaultProjectId(organization)) return false;
      const found = await findProject(client, organization, projectId);
      return found?.spec.requirePlan === true;
    },
  };
}

async function keepOpen(
  client: KubeClient,
  organization: Organization,
  projectId: string,
): Promise<boolean> {
  for (let round = 0; round < maxRounds; round += 1) {
    const found = await findProject(client, organization, projectId);
    if (found === undefined) return false;
    if (!isClosing(found)) return true;
    // The deletion is decided on the version with the mark: when the mark is gone, it has to look again.
    const kept = await put<Project>(client, kinds.project, withMark(found, undefined));
    if (kept !== undefined) return true;
  }
  throw projectBusy(projectId);
}

function isClosing({ metadata }: Project): boolean {
  return metadata.annotations?.[annotation.going] !== undefined;
}

function isGoing({ metadata }: Project, clock: Clock): boolean {
  const mark = metadata.annotations?.[annotation.going];
  if (mark === undefined) return false;
  // A mark from the future comes from a wrong clock: treated as abandoned.
  return Math.abs(clock.now().getTime() - new Date(mark).getTime()) < deletionMs;
}
