// Deletes an empty project during concurrent applies. Order: mark it, look for resources, delete exactly the marked version.
// A later apply finds the mark and removes it, or is rolled back.
import type { Project } from '../../crds/project.ts';
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import { idOf, type Organization, projectIdOf } from '../../domain/identity.ts';
import type { KubeClient } from '../../kube/api.ts';
import { mustLookAgain } from '../../kube/errors.ts';
import { fieldSelector } from '../../kube/names.ts';
import type { Clock } from '../../lib/clock.ts';
import { firstNames } from '../../lib/text.ts';
import { kinds } from '../kinds.ts';
import { pagesOf } from '../pages.ts';
import { maxRounds, put } from '../put.ts';
import { removeSummaries } from '../sets/summary.ts';
import { findProject, projectBusy, refuseManaged, requireProject, withMark } from './object.ts';

const maxNamed = 20;

/** @throws FairleadError project_not_found | project_managed_by_platform | project_in_use */
export async function removeProject(
  { client, clock }: { client: KubeClient; clock: Clock },
  organization: Organization,
  projectId: string,
): Promise<void> {
  let found = await requireProject(client, organization, projectId);
  for (let round = 0; round < maxRounds; round += 1) {
    refuseManaged(found);
    const marked = await put<Project>(client, kinds.project, withMark(found, clock.now()));
    if (marked !== undefined) {
      const held = await resourcesIn(client, organization, projectId);
      if (held.length > 0) {
        await put<Project>(client, kinds.project, withMark(marked, undefined));
        throw projectInUse(projectId, held);
      }
      // Before the project: one that is created again must not prune as this one did.
      await removeSummaries(client, organization, projectId);
      if (await deleteExactly(client, marked)) return;
    }
    const next = await findProject(client, organization, projectId);
    // Another caller deleted it: the request is fulfilled.
    if (next === undefined) return;
    found = next;
  }
  throw projectBusy(projectId);
}

/** @returns false when it must be read again */
async function deleteExactly(client: KubeClient, { metadata }: Project): Promise<boolean> {
  const { name, namespace, uid = '', resourceVersion = '' } = metadata;
  try {
    await client.delete(kinds.project, { name, namespace }, { uid, resourceVersion });
    return true;
  } catch (thrown) {
    if (mustLookAgain(thrown)) return false;
    throw thrown;
  }
}

/** Includes those that are being deleted: events to their providers still contain the project. */
async function resourcesIn(
  client: KubeClient,
  { namespace }: Organization,
  projectId: string,
): Promise<readonly Resource[]> {
  const found: Resource[] = [];
  const selector = fieldSelector('spec.project', projectId);
  const where = { namespace, ...(selector === undefined ? {} : { fieldSelector: selector }) };
  for await (const resource of pagesOf<Resource>(client, kinds.resource, where)) {
    if (projectIdOf(resource) === projectId) found.push(resource);
  }
  return found;
}

function projectInUse(projectId: string, held: readonly Resource[]): FairleadError {
  const ids = held.map(({ spec }) => idOf(spec)).sort();
  const count = held.length === 1 ? '1 resource' : `${held.length} resources`;
  const message = `Project ${projectId} holds ${count}: ${firstNames(ids, maxNamed)}`;
  return new FairleadError('project_in_use', message);
}
