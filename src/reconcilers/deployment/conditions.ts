// The conditions of a Provider: those of its rollout, and what deliveries and observations found out. Pure.
import { type ConditionWanted, Reason } from '../../crds/conditions.ts';
import { clockSkewCondition } from '../clock-skew/observation.ts';
import { correctionsHeldCondition } from '../observation/mass-guard.ts';
import type { Observed } from './observe.ts';
import type { Progress } from './progress.ts';

export function findingConditions({
  provider,
  clock,
  correctionsHold,
}: Pick<Observed, 'provider' | 'clock' | 'correctionsHold'>): readonly ConditionWanted[] {
  return [
    ...clockSkewCondition(provider.status?.conditions ?? [], clock),
    ...correctionsHeldCondition(provider, correctionsHold),
  ];
}

export function progressConditions({
  state,
  reason,
  message,
}: Progress): readonly ConditionWanted[] {
  const ready = state === 'available' ? 'True' : 'False';
  const wanted: ConditionWanted[] = [{ type: 'Ready', status: ready, reason, message }];
  if (reason === Reason.Progressing) {
    wanted.push({ type: 'Reconciling', status: 'True', reason, message });
  }
  if (state === 'failed') wanted.push({ type: 'Stalled', status: 'True', reason, message });
  return wanted;
}
