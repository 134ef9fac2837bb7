// Projects whose members of sets change only as an approved plan says.
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type Organization, projectIdOf, slashed } from '../../domain/identity.ts';
import type { ProjectGate } from '../interfaces.ts';

interface PlanRuleDeps {
  readonly projects: Pick<ProjectGate, 'requiresPlan'>;
}

/** @throws FairleadError `plan_required` for a request that changes a member of a set alone */
export async function requireNoMember(
  { projects }: PlanRuleDeps,
  organization: Organization,
  existing: Resource | undefined,
): Promise<void> {
  const { set } = existing?.spec ?? {};
  if (existing === undefined || set === undefined) return;
  const project = projectIdOf(existing);
  if (!(await projects.requiresPlan(organization, project))) return;
  const message = `Resource ${slashed(existing.spec)} is a member of set ${set}, and its project requires plans: send it in a batch of one, or with its set, and with the digest of the plan`;
  throw new FairleadError('plan_required', message);
}

/** @returns a clause about the first project of resources that requires plans */
export async function whyProjectRequiresPlan(
  { projects }: PlanRuleDeps,
  organization: Organization,
  ids: Iterable<string>,
): Promise<string | undefined> {
  for (const id of new Set(ids)) {
    if (await projects.requiresPlan(organization, id)) return `project ${id} requires plans`;
  }
  return undefined;
}
