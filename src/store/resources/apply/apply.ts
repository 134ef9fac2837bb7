// Applies a resource: decides on the stored object, checks, writes exactly that version, and decides again after a lost race.

import type { Resource } from '../../../crds/resource.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type Organization, projectIdOf, slashed } from '../../../domain/identity.ts';
import type { KubeError } from '../../../kube/errors.ts';
import { annotation, kinds } from '../../kinds.ts';
import { maxRounds, put } from '../../put.ts';
import type { ResourceRecord, WantedResource } from '../../records.ts';
import type { DependencyIndex } from '../dependencies/dependency-index.ts';
import { readResource } from '../known-spec.ts';
import type { IdentityIndex } from '../managed-objects/identity-index.ts';
import { revisionHashOf } from '../options.ts';
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
 * two sees the other. The provider is checked after the write for the same reason. A resource that this request has created too late is
 * taken back, also when the answer to the write was lost; never one that another request has created meanwhile.
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
  let failure: KubeError | undefined;
  for (let round = 0; round < maxRounds; round += 1) {
    const plan = permittedPlan(organization, existing, request);
    const project = projectIdOf({ metadata: organization, spec: plan.spec });
    const at = { organization, project, asked: wanted.projectId };
    await requireOpenProject(deps, { ...at, existing });
    if (plan.do === 'leave') return resourceRecord(plan.existing);
    await requireNoMember(deps, organization, existing);
    const kept = keepReplaced(deps, organization, { existing, plan });
    const write = { ...request, plan, existing };
    const { object } = await prepareWrite(deps, organization, write);
    const { written, now, unknown } = await store(deps, organization, { plan, object, kept });
    if (written !== undefined) {
      const brought = existing === undefined;
      if (brought) await requireOpenProject(deps, { ...at, existing: written, brought });
      await keepOnlyIfOpen(deps, organization, { resource: written, brought });
      noteWritten(deps, written);
      return resourceRecord(written);
    }
    existing = now;
    failure = unknown;
  }
  throw failure ?? roundsLost(wanted);
}

/** @returns the error of a write that lost the race in every round */
export function roundsLost({ tuple }: Pick<WantedResource, 'tuple'>): FairleadError {
  const message = `Another client changes resource ${slashed(tuple)} at the same time; try again`;
  return new FairleadError('conflict', message);
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
  deps: PrepareDeps,
  organization: Organization,
  { plan, object, kept }: PlannedWrite,
): Promise<RoundOutcome> {
  requireStorable(plan, object);
  requireRoom(deps, organization, [object]);
  await kept;
  return await putOrLook(deps, object);
}

interface RoundOutcome {
  readonly written?: Resource;
  /** The stored one, when this request has written nothing. */
  readonly now?: Resource | undefined;
  /** The error of a write that may yet happen. */
  readonly unknown?: KubeError | undefined;
}

/** Writes the version that was read. A lost answer is no lost race: the write may be what is there. */
export async function putOrLook(deps: PrepareDeps, object: Resource): Promise<RoundOutcome> {
  let unknown: KubeError | undefined;
  const written = await put(deps.client, kinds.resource, object, (error) => {
    unknown = error;
  });
  if (written !== undefined) return { written };
  const { namespace = '', name } = object.metadata;
  const now = await readResource(deps, { namespace, name });
  return now !== undefined && isWriteOf(now, object) ? { written: now } : { now, unknown };
}

/** Recognises a write of this request whose answer was lost. Its status may have been written since. */
function isWriteOf(now: Resource, sent: Resource): boolean {
  const marks = [annotation.updatedAt, annotation.appliedBy];
  const isMarked = marks.every(
    (name) => now.metadata.annotations?.[name] === sent.metadata.annotations?.[name],
  );
  return isMarked && revisionHashOf(now.spec) === revisionHashOf(sent.spec);
}
