// Pure. Rules about the guards of a resource: a paused one gets no new event, and a protected one is neither deleted nor replaced.
import { Reason } from '../../crds/conditions.ts';
import { isPaused, isProtected } from '../../store/resources/options.ts';
import { isDeletionEvent } from '../../store/resources/state.ts';
import { isReplacementUnderWay } from './replacement.ts';
import type { Decision, Rule, Situation } from './situation.ts';

export function holdWhilePaused({ resource }: Situation): Decision | undefined {
  return isPaused(resource.spec) ? pausedBecause('Paused: spec.paused is true') : undefined;
}

/** A DELETE that was claimed before ends, as any event does. */
export function holdDeletionWhilePaused(situation: Situation): Decision | undefined {
  const { resource, requeue } = situation;
  const isClaimed = isDeletionEvent(resource.status?.event) && requeue === undefined;
  if (!isDeletionPaused(situation) || isClaimed) return undefined;
  return pausedBecause('Paused: spec.paused is true; its deletion waits');
}

function pausedBecause(message: string): Decision {
  return { do: 'explain', reason: Reason.Paused, message };
}

/** The API server refuses to raise the counter of a protected resource; the two may still be set one after the other. */
export function refuseReplacingProtected(situation: Situation): Decision | undefined {
  const { resource } = situation;
  if (!isReplacementUnderWay(situation) || !isProtected(resource.spec)) return undefined;
  const message = 'The resource is protected; its replacement waits until protected is false';
  return { do: 'explain', reason: Reason.Protected, message };
}

/** The admission policy refuses the deletion; it may be missing, or the resource be protected since. */
export function holdWhileProtected(situation: Situation): Decision | undefined {
  if (!isKept(situation)) return undefined;
  const message =
    'The resource is protected, and its deletion was requested; it waits until spec.protected is false';
  return { do: 'explain', reason: Reason.Protected, message };
}

/** Deleting a namespace is no consent to delete protected objects: they are abandoned. */
export function abandonProtected({ resource, terminating }: Situation): Decision | undefined {
  const isTaken = terminating && isProtected(resource.spec);
  return isTaken ? { do: 'abandon', why: 'NamespaceDeleted' } : undefined;
}

/** Applies a rule of deletions unless a guard holds it. */
export function unlessGuarded(rule: Rule): Rule {
  return (situation) =>
    isKept(situation) || isDeletionPaused(situation) ? undefined : rule(situation);
}

/** No deletion removes a protected resource, not even one by force, but that of its namespace. */
export function isKept({ resource, terminating }: Situation): boolean {
  return isProtected(resource.spec) && !terminating;
}

function isDeletionPaused({ resource, forced, terminating }: Situation): boolean {
  return isPaused(resource.spec) && !forced && !terminating;
}
