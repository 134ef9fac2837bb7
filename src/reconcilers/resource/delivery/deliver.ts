// Delivers a claimed event to its provider. The answer becomes part of the observed state and is recorded by the rules.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import type { FailureCode } from '../../../domain/failures/failure-codes.ts';
import { projectIdOf } from '../../../domain/identity.ts';
import type { Answer, OutgoingEvent } from '../../../events/protocol.ts';
import type { Key } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ClaimStore } from '../../../store/resources/claims.ts';
import { traceparentFor } from '../../../store/resources/trace.ts';
import { isClockSkew } from '../../clock-skew/answer.ts';
import { afterProcessEnd, mayBeCrash, saysProcessEnds } from '../../crashes/answer.ts';
import type { Isolation } from '../../crashes/isolation.ts';
import type { ProcessEnds } from '../../crashes/process-ends.ts';
import type { DispatchWithin, Endpoints } from '../../endpoints.ts';
import type { ObservationRuns } from '../../observation/runs.ts';
import type { Reachability } from '../../reachability.ts';
import { cancelOf, endHandler, isHandlerCancellable } from '../deletion/cancel-handler.ts';
import { maskedCode, maskedText } from '../failures/failure-record.ts';
import { asksToWait } from '../hold.ts';
import type { Observed } from '../observe.ts';
import type { Decision } from '../situation.ts';
import { deliveredContent } from './delivered-content.ts';
import type { LongDeliveries } from './long-deliveries.ts';
import type { ProgressWriter } from './progress-writer.ts';
import type { DeliveryOutcome, ProviderLimiter } from './provider-limiter.ts';
import type { SlotRequest, Turns } from './turns.ts';
import { deliveryId, type UnrecordedAnswer, type UnrecordedAnswers } from './unrecorded-answers.ts';

export interface DeliverDeps {
  readonly claims: Pick<ClaimStore, 'sent'>;
  readonly answers: UnrecordedAnswers;
  readonly endpoints: Pick<Endpoints, 'find' | 'servingVersion'> &
    Partial<Pick<Endpoints, 'versionAt' | 'podAt'>>;
  readonly limiter: Pick<ProviderLimiter<Answer>, 'enter' | 'leave' | 'alive' | 'hold' | 'isHeld'>;
  readonly isolation: Pick<Isolation, 'enter' | 'leave'>;
  readonly turns: Pick<Turns, 'enter' | 'leave'>;
  readonly processEnds: Pick<ProcessEnds, 'enter'>;
  readonly long: Pick<
    LongDeliveries,
    'isUnderWay' | 'enter' | 'leave' | 'run' | 'cancel' | 'giveUpAfter' | 'endings'
  >;
  readonly progress: ProgressWriter;
  readonly observations: Pick<ObservationRuns, 'abort'>;
  /** The time of deliveries that are not long, in milliseconds. */
  readonly eventTimeoutMs: number;
  readonly dispatch: DispatchWithin;
  /** Receives the outcome of every delivery. */
  readonly delivered: Reachability['delivered'];
}

/**
 * @param signal aborted when this process stops: the claim stays, and the next leader sends the event again
 * @returns the answer; undefined when the event waits in the limiter of its provider, or when its delivery is long and goes on
 * after this pass
 */
export async function deliver(
  decision: Send,
  observed: Observed,
  context: DeliveryContext,
): Promise<UnrecordedAnswer | undefined> {
  const { deps } = context;
  const { namespace = '', name } = observed.resource.metadata;
  const provider = providerKey(observed);
  const key = `${namespace}/${name}`;
  const long = isLong(observed, deps);
  if (long && !deps.long.enter(provider, key)) {
    deps.turns.leave(key);
    return undefined;
  }
  if (!deps.turns.enter(key, slotRequestFor(observed, provider))) {
    if (long) deps.long.leave(provider);
    return undefined;
  }
  const entry = enterPlace(decision, { provider, key, isForced: isForcedDeletion(observed) }, deps);
  if (entry.enter === 'go') {
    const placed = { ...context, place: entry.place };
    if (!long) return await transmit(decision, observed, placed);
    deps.long.run(provider, key, (givenUp, deletion) =>
      transmit(decision, observed, { ...placed, givenUp, deletion }),
    );
    return undefined;
  }
  if (long) deps.long.leave(provider);
  if (entry.enter === 'queued') {
    if (!entry.keepsTurn) deps.turns.leave(key);
    return undefined;
  }
  deps.turns.leave(key);
  const outgoing = outgoingEvent(decision.event, observed);
  const version = servedVersion(decision.endpoint, observed, deps);
  return { ...sentWith(outgoing, observed, version), answer: entry.silence };
}

type Send = Extract<Decision, { do: 'send' }>;

/** Where a delivery goes, and what it gives back afterwards. */
interface DeliverySlot {
  /** Undefined: to the least busy pod. */
  readonly url?: string;
  leave(outcome: DeliveryOutcome<Answer>): void;
}

type SlotAnswer =
  | { readonly enter: 'go'; readonly place: DeliverySlot }
  /** `keepsTurn`: others of the provider could not take it either, or a pod is kept free for it. */
  | { readonly enter: 'queued'; readonly keepsTurn: boolean }
  | { readonly enter: 'refused'; readonly silence: Answer };

/** An event that may end the process gets a pod of its own; every other one a slot of the provider. */
function enterPlace(
  { event }: Send,
  { provider, key, isForced }: { provider: string; key: Key; isForced: boolean },
  { limiter, isolation, turns }: DeliverDeps,
): SlotAnswer {
  // In the queue of the others, it does not keep a pod free for nothing.
  const isHeld = !isForced && limiter.isHeld(provider);
  const alone = event.crash === undefined || isHeld ? undefined : isolation.enter(provider, key);
  if (alone?.enter === 'queued') return { enter: 'queued', keepsTurn: alone.isNext };
  if (alone?.enter === 'go') {
    const leave = (outcome: DeliveryOutcome<Answer>) => {
      if (outcome === 'answered') limiter.alive(provider);
      isolation.leave(provider);
      turns.leave(key);
    };
    return { enter: 'go', place: { url: alone.url, leave } };
  }
  const entry = limiter.enter(provider, { key, attempt: deliveryId(event), isForced });
  if (entry.enter === 'queued') return { enter: 'queued', keepsTurn: true };
  if (entry.enter === 'refused') return entry;
  const leave = (outcome: DeliveryOutcome<Answer>) => {
    limiter.leave(provider, outcome);
    turns.leave(key);
  };
  return { enter: 'go', place: { leave } };
}

function slotRequestFor(observed: Observed, provider: string): SlotRequest {
  const { resource, concurrency: limit } = observed;
  return { provider, type: resource.spec.resource, limit, isForced: isForcedDeletion(observed) };
}

interface DeliveryContext {
  readonly deps: DeliverDeps;
  readonly signal: AbortSignal;
  /** Aborted when a long delivery is given up. */
  readonly givenUp?: AbortSignal;
  /** Aborted when the resource of a long delivery is deleted. */
  readonly deletion?: AbortSignal;
}

/** A delivery without a worker: its resource has passes meanwhile, so that its deletion is noticed. */
function isLong(observed: Observed, deps: DeliverDeps): boolean {
  return (limitOf(observed, deps) ?? 0) > deps.eventTimeoutMs || isHandlerCancellable(observed);
}

/** A forced deletion waits for no delivery longer than that of a type without a limit. */
function limitOf(observed: Observed, { eventTimeoutMs }: DeliverDeps): number | undefined {
  const { timeoutSeconds } = observed;
  if (timeoutSeconds === undefined) return undefined;
  const limitMs = timeoutSeconds * 1_000;
  return isForcedDeletion(observed) ? Math.min(limitMs, eventTimeoutMs) : limitMs;
}

function isForcedDeletion({ forced, resource }: Observed): boolean {
  return forced && resource.metadata.deletionTimestamp !== undefined;
}

function providerKey({ resource: { metadata, spec } }: Observed): string {
  return `${metadata.namespace ?? ''}/${spec.provider}`;
}

function sentWith(
  { config, schemaVersion }: OutgoingEvent,
  { resolution, received, typeVersion }: Observed,
  providerVersion: string | undefined,
) {
  const versions = { schemaVersion, typeVersion, providerVersion };
  return { config, references: resolution.hash, received, ...versions };
}

function servedVersion(url: string, { resource }: Observed, { endpoints }: DeliverDeps) {
  const { namespace = '' } = resource.metadata;
  return endpoints.versionAt?.({ namespace, provider: resource.spec.provider, url });
}

/** @returns the answer, which is also kept for the next pass */
async function transmit(
  { event, endpoint }: Send,
  observed: Observed,
  { deps, signal, givenUp, deletion, place }: DeliveryContext & { readonly place: DeliverySlot },
): Promise<UnrecordedAnswer> {
  const provider = providerKey(observed);
  const { metadata, spec } = observed.resource;
  const { namespace = '' } = metadata;
  const outgoing = outgoingEvent(event, observed);
  deps.observations.abort(`${namespace}/${metadata.name}`);
  // Chosen only now: of many events that were observed at once, each goes to the pod that is the least busy by then. In the pod
  // of the attempt before, a handler that still runs holds up the next attempt; a pod that was not chosen for it would begin.
  const affinity = isLong(observed, deps) ? metadata.uid : undefined;
  const url = place.url ?? deps.endpoints.find(namespace, spec.provider, affinity) ?? endpoint;
  const sent = sentWith(outgoing, observed, servedVersion(url, observed, deps));
  const at = { namespace, provider: spec.provider, url };
  const presence = deps.processEnds.enter(deps.endpoints.podAt?.(at));
  let outcome: DeliveryOutcome<Answer> = 'nothing';
  const ended = new AbortController();
  if (deletion !== undefined && isHandlerCancellable(observed)) {
    const cancel = cancelOf(outgoing, false);
    const ask = () => deps.dispatch(cancel, { url, namespace }, ended.signal);
    endHandler({ deletion, ended: ended.signal, ask });
  }
  const progress = deps.progress.begin(event, observed);
  try {
    const until = givenUp === undefined ? signal : AbortSignal.any([signal, givenUp]);
    const target = {
      url,
      namespace,
      limitMs: limitOf(observed, deps),
      onAlive: () => deps.limiter.alive(provider),
      onProgress: progress.report,
      shownCode: (code: string) => maskedCode(code, observed),
    };
    deps.claims.sent(observed.resource);
    const answer = await deps.dispatch(outgoing, target, until);
    if (saysProcessEnds(answer)) presence.ending();
    await progress.end();
    signal.throwIfAborted();
    if (givenUp?.aborted === true) return retain(event, { ...sent, answer: noLongerAwaited }, deps);
    const end = mayBeCrash(answer) ? await presence.lost(until) : undefined;
    signal.throwIfAborted();
    // The silence of a process that has ended proves nothing about the next one.
    if (end !== undefined) {
      return retain(event, { ...sent, ...afterProcessEnd(answer, end, event.id) }, deps);
    }
    // The message becomes that of a condition of the provider, whose readers may not know the secrets of the resource.
    const shown = isClockSkew(answer)
      ? { ...answer, message: await maskedText(answer.message, observed) }
      : answer;
    deps.delivered(provider, url, shown);
    outcome = answerOutcome(answer, provider, deps);
    return retain(event, { ...sent, answer }, deps);
  } finally {
    ended.abort();
    void progress.end();
    presence.leave();
    place.leave(outcome);
  }
}

function answerOutcome(
  answer: Answer,
  provider: string,
  { limiter }: DeliverDeps,
): DeliveryOutcome<Answer> {
  if (asksToWait(answer) && answer.retryScope === 'provider') {
    limiter.hold(provider, answer.retryAfterMs);
  }
  return answer.kind === 'failed' && answer.unanswered === true ? { silence: answer } : 'answered';
}

const noLongerAwaited: Answer = {
  kind: 'failed',
  terminal: false,
  code: 'TIMEOUT' satisfies FailureCode,
  message:
    'The deletion is forced, and the provider did not answer within the time of one delivery',
};

function retain(event: ClaimedEvent, unrecorded: UnrecordedAnswer, { answers }: DeliverDeps) {
  answers.keep(event, unrecorded);
  return unrecorded;
}

function outgoingEvent(event: ClaimedEvent, observed: Observed): OutgoingEvent {
  const claimed = claimedEvent(event, observed);
  return event.cancellation === 'Requested' ? cancelOf(claimed, true) : claimed;
}

function claimedEvent(event: ClaimedEvent, observed: Observed): OutgoingEvent {
  const { resource, organizationId = '' } = observed;
  const { spec } = resource;
  return {
    id: event.id,
    type: event.type,
    organizationId,
    projectId: projectIdOf(resource),
    provider: spec.provider,
    resource: spec.resource,
    name: spec.name,
    ...deliveredContent(event, observed),
    attempt: event.attempt,
    sequence: event.sequence,
    generation: event.generation,
    context: contextOf(event),
    traceparent: traceparentFor(resource, event),
    ...(event.type === 'OBSERVE' ? { adopt: (spec.adopt as JsonObject | undefined) ?? null } : {}),
  };
}

/** An import is sent no context: the stored one belongs to the CREATE before it, and a DELETE needs it. */
function contextOf({ type, context }: ClaimedEvent): JsonObject | null {
  return type === 'OBSERVE' ? null : ((context as JsonObject | undefined) ?? null);
}
