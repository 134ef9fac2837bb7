// Pure. The condition of a provider whose clock differs from that of Fairlead.
import {
  type Condition,
  type ConditionWanted,
  findCondition,
  Reason,
} from '../../crds/conditions.ts';
import type { ClockFinding } from './observation.ts';

/**
 * @param finding undefined: the one of an earlier process, which the present conditions show, holds until the next answer
 * @returns the condition, if the provider is to have it
 */
export function clockSkewCondition(
  present: readonly Condition[],
  finding: ClockFinding | undefined,
): readonly ConditionWanted[] {
  const stored = findCondition(present, 'ClockSkew')?.message;
  const message = finding === undefined ? stored : finding.skew;
  if (message === undefined) return [];
  return [{ type: 'ClockSkew', status: 'True', reason: Reason.ClockSkew, message }];
}
