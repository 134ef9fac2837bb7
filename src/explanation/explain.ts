// Explains the state of a resource from observed facts: the chain of causes, one sentence, and the next steps. Pure.
import { Reason } from '../crds/conditions.ts';
import { slashed } from '../domain/identity.ts';
import { hasFailed, iso, shownState } from '../store/resources/state.ts';
import { type Attempt, attemptInWords, attemptOf } from './attempt.ts';
import { causesBelow, lastOf, resourceLink, viaOf } from './cause.ts';
import { objectInWords } from './drift.ts';
import {
  type ChainPath,
  type EventFacts,
  type Explanation,
  type Facts,
  type Link,
  maxLogLines,
} from './facts.ts';
import { nextSteps } from './next-steps/index.ts';
import { permitted, type Rights } from './next-steps/rights.ts';
import { type Present, presentOf } from './present.ts';
import { explanationSummary } from './summary.ts';

export interface Asking {
  readonly now: Date;
  /** The rights of the caller. */
  readonly rights: Rights;
}

export function explain(facts: Facts, { now, rights }: Asking): Explanation {
  const { path, deadLetter, users, delivery, maxAttempts } = facts;
  const [{ resource }] = path;
  const step = path[path.length - 1] ?? path[0];
  const last = lastOf(step, facts, now);
  const presents = path.map((each) =>
    each === step ? last.present : presentOf(each, undefined, { now, maxAttempts }),
  );
  const causes = causesBelow(last, facts);
  const chain = namedOnce([...causes, ...resourceLinks(path, presents).toReversed()]);
  const attempt = attemptOf(step.resource, delivery, { now, maxAttempts });
  const reason = presents[0]?.reason ?? last.present.reason;
  return {
    summary: explanationSummary(chain, {
      users,
      isInUse: reason === Reason.InUse,
      isLeaving: resource.metadata.deletionTimestamp !== undefined,
      object: objectInWords(resource, facts.provider),
      failure: last.failure,
      culprit: facts.culprit,
      attempt: attempt && attemptInWords(attempt, now),
    }),
    resource: slashed(resource.spec),
    state: shownState(resource),
    reason,
    chain,
    event: eventFacts(facts, path.length === 1 ? attempt : undefined),
    deadLetter,
    log: rights.may('getDeadLetter') ? (deadLetter?.log.slice(-maxLogLines) ?? []) : [],
    users,
    next: permitted(nextSteps(facts, last, chain), rights),
  };
}

function resourceLinks(path: ChainPath, presents: readonly Present[]): readonly Link[] {
  return path.flatMap((step, at) => {
    const present = presents[at];
    const above = path[at - 1];
    const via = above === undefined ? null : viaOf(above);
    return present === undefined ? [] : [resourceLink(step, present, via)];
  });
}

/** The deepest link keeps a message that others repeat, or lengthen by what is known of the attempt. */
function namedOnce(chain: readonly Link[]): readonly Link[] {
  const named: string[] = [];
  return chain.map((link) => {
    const { message } = link;
    if (message === null) return link;
    if (named.some((each) => each.startsWith(message) || message.startsWith(each)))
      return { ...link, message: null };
    named.push(message);
    return link;
  });
}

function eventFacts(
  { path: [{ resource }], maxAttempts, delivery }: Facts,
  asked: Attempt | undefined,
): EventFacts | undefined {
  const event = resource.status?.event;
  const state = shownState(resource);
  // A refused change has failed without an event.
  const isShown = state === 'processing' || (state === 'failed' && hasFailed(resource));
  if (event === undefined || !isShown) return undefined;
  const { id: eventId, type: eventType, attempt, nextAttemptAt, errors = [] } = event;
  const isUnderWay = state === 'processing';
  return {
    eventId,
    eventType,
    attempt,
    maxAttempts,
    nextAttemptAt: isUnderWay && nextAttemptAt !== undefined ? iso(nextAttemptAt) : null,
    dueSince: asked?.is === 'due' ? asked.at : null,
    errors,
    progress: (isUnderWay && event.progress) || null,
    limitSeconds: isUnderWay ? delivery.limitSeconds : null,
  };
}
