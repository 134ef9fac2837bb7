// Explains the state of a resource from observed facts: the chain of causes, one sentence, and the next steps. Pure.
import { Reason } from '../../../crds/conditions.ts';
import { slashed } from '../../../domain/identity.ts';
import { iso, reasonOf, shownState, stateOf } from '../state.ts';
import { causesBelow, resourceLink, viaOf } from './cause.ts';
import type { EventFacts, Explanation, Facts, Link, Path } from './facts.ts';
import { nextSteps } from './next-steps.ts';
import { summaryOf } from './summary.ts';

export function explain(facts: Facts): Explanation {
  const { path, deadLetter, users } = facts;
  const [{ resource }] = path;
  const reason = reasonOf(resource, stateOf(resource));
  const chain = chainOf(facts);
  return {
    summary: summaryOf(chain, { users, isInUse: reason === Reason.InUse }),
    resource: slashed(resource.spec),
    state: shownState(resource),
    reason,
    chain,
    event: eventOf(facts),
    deadLetter,
    users,
    next: nextSteps(facts, chain),
  };
}

function chainOf(facts: Facts): readonly Link[] {
  const { path } = facts;
  const resources = path.map(({ resource }, index) => resourceLink(resource, viaTo(path, index)));
  const last = path[path.length - 1] ?? path[0];
  return [...causesBelow(last, facts), ...resources.reverse()];
}

function viaTo(path: Path, index: number): string | null {
  const above = path[index - 1];
  return above === undefined ? null : viaOf(above);
}

function eventOf({ path: [{ resource }], maxAttempts }: Facts): EventFacts | undefined {
  const event = resource.status?.event;
  const state = stateOf(resource);
  if (event === undefined || state === 'ready' || state === 'draft') return undefined;
  const { id: eventId, type: eventType, attempt, nextAttemptAt, errors = [] } = event;
  const isUnderWay = shownState(resource) === 'processing' && nextAttemptAt !== undefined;
  const next = isUnderWay ? iso(nextAttemptAt) : null;
  return { eventId, eventType, attempt, maxAttempts, nextAttemptAt: next, errors };
}
