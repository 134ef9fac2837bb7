// Applies a resource: decides on the stored object, checks, writes exactly that version, and decides again after a lost race.

import type { Resource } from '../../../crds/resource.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type Organization, projectIdOf, slashed } from '../../../domain/identity.ts';
import { kinds } from '../../kinds.ts';
import { maxRounds, put } from '../../put.ts';
import type { ResourceRecord } from '../../records.ts';
import type { DependencyIndex } from '../dependencies/dependency-index.ts';
import { readResource } from '../known-spec.ts';
import type { IdentityIndex } from '../managed-objects/identity-index.ts';
import { requireNoMember } from '../plan-required.ts';
import { resourceRecord } from '../state.ts';
import { keepOnlyIfOpen, requireOpenProject } from './apply-checks.ts';
import type { WritePlan } from './apply-plan.ts';
import {
  type ApplyRequest,
  isRevision,
  type PrepareDeps,
  permittedPlan,
  prepareWrite,
  type Ref,
  refFor,
  requireRoom,
  requireStorable,
} from './prepare.ts';

export interface ApplyDeps extends PrepareDeps {
  readonly dependencies: Pick<DependencyIndex, 'usersOf' | 'cycleThrough' | 'note'>;
  readonly claimants: Pick<IdentityIndex, 'note'>;
}

/**
 * Applies in rounds: each plans and checks against the resource that was read, and writes on its version; a lost race is another round.
 * The project is checked before the first write and after it: its deletion marks it and then looks for resources, so that one of the
 * two sees the other. The provider is checked after the write for the same reason. A resource that came too late is taken back, also
 * one of a round whose answer was lost: `tried` remembers that such a round may have created it.
 */
export async function apply(
  deps: ApplyDeps,
  organization: Organization,
  request: ApplyRequest,
): Promise<ResourceRecord> {
  const { wanted, precondition } = request;
  const ref = refFor(organization, wanted);
  // Another replica may have created what an update of its options names.
  const isUpdate = wanted.lifecycle === undefined;
  let existing = await (precondition === undefined && !isUpdate
    ? firstLook(deps, organization, ref)
    : readResource(deps, ref));
  let tried = false;
  for (let round = 0; round < maxRounds; round += 1) {
    const plan = permittedPlan(organization, existing, request);
    const project = projectIdOf({ metadata: organization, spec: plan.spec });
    const at = { organization, project, asked: wanted.projectId };
    await requireOpenProject(deps, { ...at, existing, tried });
    if (plan.do === 'leave') {
      await keepOnlyIfOpen(deps, organization, { resource: plan.existing, brought: tried });
      return resourceRecord(plan.existing);
    }
    await requireNoMember(deps, organization, existing);
    const kept = keepReplaced(deps, organization, { existing, plan });
    const write = { ...request, plan, existing };
    const { object } = await prepareWrite(deps, organization, write);
    tried ||= existing === undefined;
    const written = await store(deps, organization, { plan, object, kept });
    if (written !== undefined) {
      const brought = existing === undefined;
      if (brought) await requireOpenProject(deps, { ...at, existing: written, tried });
      await keepOnlyIfOpen(deps, organization, { resource: written, brought });
      noteWritten(deps, written);
      return resourceRecord(written);
    }
    existing = await readResource(deps, ref);
  }
  throw new FairleadError(
    'conflict',
    `Another client changes resource ${slashed(wanted.tuple)} at the same time; try again`,
  );
}

/** Indexes at once what was written, before the caches receive it. */
export function noteWritten(
  { dependencies, claimants }: Pick<ApplyDeps, 'dependencies' | 'claimants'>,
  written: Resource,
): void {
  dependencies.note(written);
  claimants.note(written);
}

export function firstLook(
  deps: PrepareDeps,
  organization: Organization,
  ref: Ref,
): Promise<Resource | undefined> {
  // With a full quota, a resource missing in this replica's cache must not be rejected as a new one.
  const look = deps.known(ref) !== undefined || deps.quota.refusal(organization) !== undefined;
  return look ? readResource(deps, ref) : Promise.resolve(undefined);
}

/** Runs while the config is validated. Never from the cache: an old content would take the place of a newer one. */
export function keepReplaced(
  { history }: Pick<ApplyDeps, 'history'>,
  organization: Organization,
  { existing, plan }: { existing: Resource | undefined; plan: WritePlan },
): Promise<void> | undefined {
  if (existing === undefined || !isRevision(plan)) return undefined;
  return history.keep(organization, existing);
}

interface PlannedWrite {
  readonly plan: WritePlan;
  readonly object: Resource;
  /** Resolves when the replaced content is in the history: after the write, nothing else has it. */
  readonly kept: Promise<void> | undefined;
}

/** @throws FairleadError when the quota is exceeded, or when the result could not be stored */
export async function store(
  deps: Pick<ApplyDeps, 'client' | 'quota'>,
  organization: Organization,
  { plan, object, kept }: PlannedWrite,
): Promise<Resource | undefined> {
  requireStorable(plan, object);
  requireRoom(deps, organization, [object]);
  await kept;
  return await put(deps.client, kinds.resource, object);
}
