// The store of batches: many applies that are checked together and then written, each in one write.
import type { Organization } from '../../../domain/identity.ts';
import type { ApplyDeps } from '../apply/apply.ts';
import { type CommitOptions, type CommittedMember, commitBatch } from './commit.ts';
import type { BatchMember } from './member.ts';
import { type BatchOptions, type BatchPlan, planBatch } from './plan.ts';

export interface BatchStore {
  /**
   * Checks many applies together and writes nothing.
   * @param members in the project of a caller that is confined to one
   * @throws InvalidRequest with everything that is wrong with any of them
   */
  plan(
    organization: Organization,
    members: readonly BatchMember[],
    options: BatchOptions,
  ): Promise<BatchPlan>;
  /** Writes what a plan changes. @returns what became of each member */
  commit(
    organization: Organization,
    plan: BatchPlan,
    options: CommitOptions,
  ): Promise<readonly CommittedMember[]>;
}

export function createBatchStore(deps: ApplyDeps): BatchStore {
  return {
    plan: (organization, members, options) => planBatch(deps, organization, members, options),
    commit: (organization, plan, options) => commitBatch(deps, organization, plan, options),
  };
}
