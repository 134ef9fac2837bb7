// Members of a set that its request does not name: how each is planned, why one cannot be removed, and their removal, users first.
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import { keyOf, type Organization, projectIdOf, slashed } from '../../domain/identity.ts';
import { type PrunePolicy, unlistedChanges } from '../../domain/sets/prune.ts';
import { type Key, keyFor } from '../../kube/api.ts';
import { isUnknown } from '../../kube/errors.ts';
import { forEachConcurrently } from '../parallel.ts';
import type { WantedResource } from '../records.ts';
import {
  type CommitOptions,
  type CommittedMember,
  memberOutcome,
  requireMayWrite,
} from '../resources/batch/commit.ts';
import type { BatchMember, DecidedMember } from '../resources/batch/member.ts';
import type { MemberRefusal, PlannedMember } from '../resources/batch/plan.ts';
import { atOnce } from '../resources/batch/read-once.ts';
import { type DeletionRequest, requestDeletion } from '../resources/deletion.ts';
import {
  requireUnused,
  resourceInUse,
  type UsersDeps,
} from '../resources/dependencies/dependents.ts';
import { dependenciesIn } from '../resources/dependencies/uses.ts';
import { find } from '../resources/lookup.ts';
import { isProtected } from '../resources/options.ts';
import { resourceProtected } from '../resources/protection.ts';
import { resourceRecord } from '../resources/state.ts';

/** @returns a change of options alone, which leaves everything else as it is */
function unchanged({ spec: { provider, resource, name } }: Resource): WantedResource {
  return {
    tuple: { provider, resource, name },
    ...{ config: undefined, lifecycle: undefined, tags: undefined },
    ...{ projectId: undefined, dependencies: undefined },
  };
}

/** @returns the member as one that leaves its set */
export function leavingMember(existing: Resource): BatchMember {
  return {
    wanted: { ...unchanged(existing), options: { set: null } },
    validateConfig: (_config, { kept }) => Promise.resolve(kept),
  };
}

/** @returns the member as one that no apply writes */
export function unlistedMember(
  existing: Resource,
  policy: Exclude<PrunePolicy, 'leave'>,
): DecidedMember {
  const record = resourceRecord(existing);
  return {
    member: { wanted: unchanged(existing), validateConfig: () => Promise.resolve(undefined) },
    ...{ existing, spec: existing.spec, before: record, after: record },
    ...{ change: unlistedChanges[policy], forcedBy: [], blockedBy: undefined, prepared: undefined },
  };
}

interface Removal {
  readonly removed: readonly Resource[];
  /** The members as the request would have them. */
  readonly planned: ReadonlyMap<Key, Resource>;
  /** The field of the request that removes them. */
  readonly loc: readonly string[];
}

/** @returns why members cannot be removed: they are protected, or used by what stays */
export async function removalRefusals(
  deps: UsersDeps,
  organization: Organization,
  { removed, planned, loc }: Removal,
): Promise<readonly MemberRefusal[]> {
  const gone = removed.map(({ metadata }) => keyFor(metadata));
  const users = usersAmong(planned);
  const refusals: MemberRefusal[] = [];
  const beside = new Set([...gone, ...planned.keys()]);
  await forEachConcurrently(removed.entries(), atOnce, async ([index, { metadata, spec }]) => {
    try {
      if (isProtected(spec)) throw resourceProtected(spec, 'deleted');
      const record = { ...spec, projectId: projectIdOf({ metadata, spec }) };
      const named = users.get(slashed(spec)) ?? [];
      if (named.length > 0) throw resourceInUse(record, named);
      await requireUnused(deps, organization, { records: [record], beside });
    } catch (thrown) {
      if (!(thrown instanceof FairleadError)) throw thrown;
      refusals.push({ index, error: thrown, loc });
    }
  });
  return refusals;
}

/** @returns by the name of what they use, the resources that will use it */
function usersAmong(planned: ReadonlyMap<Key, Resource>): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const { spec } of planned.values()) {
    if (spec.lifecycle === 'Draft') continue;
    for (const used of dependenciesIn(spec)) {
      const all = users.get(slashed(used)) ?? [];
      users.set(slashed(used), [...all, slashed(spec)]);
    }
  }
  return users;
}

interface RemovalOptions {
  readonly set: string;
  readonly isApproved: boolean;
  readonly mayWrite: () => boolean;
  readonly onMember?: CommitOptions['onMember'];
}

/** Requests the deletion of members, each after its users. @returns what became of each, by its name */
export async function removeMembers(
  deps: UsersDeps,
  organization: Organization,
  members: readonly PlannedMember[],
  { set, isApproved, mayWrite, onMember }: RemovalOptions,
): Promise<ReadonlyMap<string, CommittedMember>> {
  const outcomes = new Map<string, CommittedMember>();
  for (const wave of removalWaves(members)) {
    await forEachConcurrently(wave, atOnce, async (planned) => {
      const { tuple } = planned.member.wanted;
      const name = slashed(tuple);
      if (!mayWrite()) return void outcomes.set(name, { planned, outcome: 'not_attempted' });
      const { existing } = planned;
      const request: DeletionRequest = {
        address: { key: keyOf(tuple), tuple, text: name },
        scope: existing && projectIdOf(existing),
        orphan: planned.change === 'orphan',
        requireSame: (found) => {
          requireMayWrite(mayWrite);
          requireMember(found, { set, existing, isApproved });
        },
      };
      const outcome = await memberOutcome(planned, async () => {
        await requestDeletion(deps, organization, request).catch(async (thrown: unknown) => {
          const isDone = isUnknown(thrown) && (await isLeaving(deps, organization, request));
          if (!isDone) throw thrown;
        });
        return existing;
      });
      outcomes.set(name, outcome);
      onMember?.(outcome);
    });
  }
  return outcomes;
}

/** Returns whether a deletion whose answer was lost has begun. */
async function isLeaving(
  { client }: Pick<UsersDeps, 'client'>,
  organization: Organization,
  { address }: DeletionRequest,
): Promise<boolean> {
  const now = await find(client, organization, address);
  return now === undefined || now.metadata.deletionTimestamp !== undefined;
}

interface ExpectedMember extends Pick<RemovalOptions, 'set' | 'isApproved'> {
  readonly existing: Resource | undefined;
}

/** @throws FairleadError for one that has left the set since the plan, or is another one than was approved */
function requireMember(found: Resource, { set, existing, isApproved }: ExpectedMember): void {
  const name = slashed(found.spec);
  if (found.spec.set !== set) {
    throw new FairleadError('conflict', `Resource ${name} has left set ${set} since the plan`);
  }
  const { uid, generation } = found.metadata;
  const isSame = uid === existing?.metadata.uid && generation === existing?.metadata.generation;
  if (!isApproved || isSame) return;
  throw new FairleadError('plan_stale', `Resource ${name} has changed since the plan; plan again`);
}

/** A deletion is refused while a user is not in deletion, too. */
function* removalWaves(members: readonly PlannedMember[]): Iterable<readonly PlannedMember[]> {
  let left = [...members];
  while (left.length > 0) {
    const used = new Set(left.flatMap(({ spec }) => dependenciesIn(spec).map(slashed)));
    const unused = left.filter(({ member }) => !used.has(slashed(member.wanted.tuple)));
    // A circle, which only kubectl can make.
    const wave = unused.length === 0 ? left : unused;
    yield wave;
    left = left.filter((each) => !wave.includes(each));
  }
}
