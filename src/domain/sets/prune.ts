// Rules about the members of a set that a request does not name, and about requests that need an approved plan. Pure.
import type { MemberChange } from '../apply-plans.ts';

/** From the most careful one on. */
export const prunePolicies = ['keep', 'leave', 'orphan', 'delete'] as const;
export type PrunePolicy = (typeof prunePolicies)[number];

export const unlistedChanges = {
  keep: 'unlisted',
  leave: 'leave',
  orphan: 'orphan',
  delete: 'delete',
} as const satisfies Readonly<Record<PrunePolicy, MemberChange>>;

export interface PruneRequest {
  /** Undefined for a set that nobody has applied. */
  readonly stored: PrunePolicy | undefined;
  /** Undefined: as it is stored. */
  readonly asked: PrunePolicy | undefined;
  readonly hasPlan: boolean;
  /** Whether the set itself goes. */
  readonly isDeletion: boolean;
}

export interface PruneDecision {
  /** In force for this request. */
  readonly policy: PrunePolicy;
  /** In force for later ones. */
  readonly stores: PrunePolicy;
  readonly isLessCareful: boolean;
}

/**
 * A more careful policy is for one request, unless it is approved: the next one of a pipeline goes on as before. That of a deletion is
 * for itself alone: an apply after one that ended halfway must not prune by it.
 */
export function decidePrune({ stored, asked, hasPlan, isDeletion }: PruneRequest): PruneDecision {
  if (isDeletion && asked !== undefined) {
    return { policy: asked, stores: stored ?? 'keep', isLessCareful: false };
  }
  const before = stored ?? asked ?? 'keep';
  const policy = asked ?? before;
  const isLessCareful = careOf(policy) > careOf(before);
  const stores = hasPlan || isLessCareful ? policy : before;
  return { policy, stores, isLessCareful };
}

function careOf(policy: PrunePolicy): number {
  return prunePolicies.indexOf(policy);
}

export interface RemovalRequest {
  /** The resources that it names. */
  readonly listed: number;
  /** The members before it. */
  readonly members: number;
  /** The members that would leave the set, or be deleted. */
  readonly removed: number;
  readonly isLessCareful: boolean;
}

/** A set with fewer members may lose most of them in an ordinary change. */
const manyMembers = 10;

type PlanRule = (request: RemovalRequest) => string | undefined;

const rules: readonly PlanRule[] = [
  ({ listed }) => (listed === 0 ? 'it names no resource' : undefined),
  ({ members, removed }) =>
    removed > 0 && removed === members ? 'it would remove all members' : undefined,
  ({ members, removed }) =>
    members >= manyMembers && removed * 2 > members
      ? `it would remove ${removed} of ${members} members`
      : undefined,
  ({ isLessCareful }) =>
    isLessCareful ? 'it would prune less carefully than the set is pruned so far' : undefined,
];

/** @returns why a request needs an approved plan: a clause about it */
export function whyPlanIsRequired(request: RemovalRequest): string | undefined {
  for (const rule of rules) {
    const why = rule(request);
    if (why !== undefined) return why;
  }
  return undefined;
}
