// The conditions with which kstatus, Flux, Argo CD and `kubectl wait` interpret the lifecycle correctly. Pure.
import { type ConditionWanted, findCondition, Reason } from '../../../crds/conditions.ts';
import type { ResourceStatus } from '../../../crds/resource.ts';
import type { StoredState } from '../../../domain/lifecycle.ts';

interface Appearance {
  readonly state: StoredState;
  readonly reason: Reason;
  readonly message: string;
  readonly stalled: boolean;
  /** True when the dead letter was deleted. */
  readonly dismissed: boolean;
  readonly drift: NonNullable<ResourceStatus['drift']>['kind'] | undefined;
}

/** The conditions with which kstatus, Flux, Argo CD and `kubectl wait` interpret the lifecycle correctly. */
export function wantedConditions({
  state,
  reason,
  message,
  stalled,
  dismissed,
  drift,
}: Appearance): readonly ConditionWanted[] {
  if (state === 'draft') return [{ type: 'Draft', status: 'True', reason, message }];
  if (state === 'ready') return readyConditions({ reason, message, drift });
  const notReady: ConditionWanted = { type: 'Ready', status: 'False', reason, message };
  if (state === 'failed') {
    const stays: ConditionWanted = { type: 'Stalled', status: 'True', reason, message };
    if (reason === Reason.ImmutableField) return [notReady, stays];
    const deadLetter: ConditionWanted = { type: 'DeadLettered', status: 'True', reason, message };
    return dismissed ? [notReady, stays] : [notReady, stays, deadLetter];
  }
  const why = stalled ? 'Stalled' : 'Reconciling';
  return [notReady, { type: why, status: 'True', reason, message }];
}

/** A gone object is not ready, whatever was sent; one that differs is. */
function readyConditions({
  reason,
  message,
  drift,
}: Pick<Appearance, 'reason' | 'message' | 'drift'>): readonly ConditionWanted[] {
  const status = drift === 'Gone' ? 'False' : 'True';
  const ready: ConditionWanted = { type: 'Ready', status, reason, message };
  if (drift === undefined) return [ready];
  return [ready, { type: 'Drifted', status: 'True', reason, message }];
}

/** The conditions of a resource that is observed: ready, or only observed and not found yet. */
export function notObserved(
  state: StoredState,
  said: string | null | undefined,
  before: ResourceStatus['conditions'],
): readonly ConditionWanted[] {
  const known = findCondition(before, 'Observed')?.message;
  const message = said === undefined ? known : said;
  const isObserved = state === 'ready' || (state === 'pending' && said !== undefined);
  if (message === undefined || message === null || !isObserved) return [];
  return [{ type: 'Observed', status: 'False', reason: Reason.ObserveFailed, message }];
}
