// Delivers a claimed event to its provider. The answer becomes part of the observed state and is recorded by the rules.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import type { FailureCode } from '../../../domain/failures/failure-codes.ts';
import { projectIdOf } from '../../../domain/identity.ts';
import type { Answer, OutgoingEvent } from '../../../events/protocol.ts';
import { keyFor } from '../../../kube/api.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ClaimStore } from '../../../store/resources/claims.ts';
import { traceparentFor } from '../../../store/resources/trace.ts';
import { isClockSkew } from '../../clock-skew/answer.ts';
import { afterProcessEnd, isCrash, mayBeCrash } from '../../crashes/answer.ts';
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
import type { DeliveryGate, DeliveryLease, DeliveryOutcome, DeliveryRequest } from './gate.ts';
import type { ProgressWriter } from './progress-writer.ts';
import type { DeliveriesUnderWay } from './under-way.ts';
import { deliveryId, type UnrecordedAnswer, type UnrecordedAnswers } from './unrecorded-answers.ts';

export interface DeliverDeps {
  readonly claims: Pick<ClaimStore, 'sent'>;
  readonly answers: UnrecordedAnswers;
  readonly endpoints: Pick<Endpoints, 'find' | 'servingVersion'> &
    Partial<Pick<Endpoints, 'versionAt' | 'podAt'>>;
  readonly gate: DeliveryGate<Answer>;
  readonly processEnds: Pick<ProcessEnds, 'enter'>;
  readonly underWay: DeliveriesUnderWay;
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
 * @returns the answer; undefined when the event waits at the gate, or when its delivery is long and goes on after this pass
 */
export async function deliver(
  decision: Send,
  observed: Observed,
  context: DeliveryContext,
): Promise<UnrecordedAnswer | undefined> {
  const { deps } = context;
  const request = requestFor(decision, observed, deps);
  const passage = deps.gate.enter(request);
  if (passage.enter === 'refused') {
    const outgoing = outgoingEvent(decision.event, observed);
    const version = servedVersion(decision.endpoint, observed, deps);
    return { ...sentWith(outgoing, observed, version), answer: passage.silence };
  }
  if (passage.enter !== 'go') return undefined;
  const { lease } = passage;
  const send = (long?: Pick<DeliveryContext, 'givenUp' | 'deletion'>) =>
    transmit(decision, observed, { ...context, ...long, lease }).finally(() => lease.release());
  if (request.isLong !== true) return await send();
  deps.underWay.run(request.key, (givenUp, deletion) => send({ givenUp, deletion }));
  return undefined;
}

type Send = Extract<Decision, { do: 'send' }>;

function requestFor({ event }: Send, observed: Observed, deps: DeliverDeps): DeliveryRequest {
  const { resource, concurrency: limit } = observed;
  return {
    key: keyFor(resource.metadata),
    provider: providerKey(observed),
    type: resource.spec.resource,
    limit,
    attempt: deliveryId(event),
    isForced: isForcedDeletion(observed),
    isLong: isLong(observed, deps),
    isSuspect: event.crash !== undefined,
  };
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
  const isLimitLong = (limitOf(observed, deps) ?? 0) > deps.eventTimeoutMs;
  // A suspect may wait in its pod for others.
  const isSuspect = observed.resource.status?.event?.crash !== undefined;
  return isLimitLong || isSuspect || isHandlerCancellable(observed);
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
  {
    deps,
    signal,
    givenUp,
    deletion,
    lease,
  }: DeliveryContext & { readonly lease: DeliveryLease<Answer> },
): Promise<UnrecordedAnswer> {
  const provider = providerKey(observed);
  const { metadata, spec } = observed.resource;
  const { namespace = '' } = metadata;
  const outgoing = outgoingEvent(event, observed);
  deps.observations.abort(`${namespace}/${metadata.name}`);
  // Chosen only now: of many events that were observed at once, each goes to the pod that is the least busy by then. In the pod
  // of the attempt before, a handler that still runs holds up the next attempt; a pod that was not chosen for it would begin.
  const affinity = isLong(observed, deps) ? metadata.uid : undefined;
  const url = deps.endpoints.find(namespace, spec.provider, affinity) ?? endpoint;
  const sent = sentWith(outgoing, observed, servedVersion(url, observed, deps));
  const at = { namespace, provider: spec.provider, url };
  const presence = deps.processEnds.enter(deps.endpoints.podAt?.(at));
  const ended = new AbortController();
  if (deletion !== undefined && isHandlerCancellable(observed)) {
    const cancel = cancelOf(outgoing, false);
    const ask = () => deps.dispatch(cancel, { url, namespace }, ended.signal);
    endHandler({ deletion, ended: ended.signal, ask });
  }
  const progress = deps.progress.begin(event, observed);
  const retain = (unrecorded: UnrecordedAnswer) => {
    deps.answers.keep(event, unrecorded, keyFor(metadata));
    return unrecorded;
  };
  try {
    const until = givenUp === undefined ? signal : AbortSignal.any([signal, givenUp]);
    const target = {
      url,
      namespace,
      limitMs: limitOf(observed, deps),
      onAlive: lease.alive,
      onProgress: progress.report,
      shownCode: (code: string) => maskedCode(code, observed),
    };
    deps.claims.sent(observed.resource);
    const answer = await deps.dispatch(outgoing, target, until);
    await progress.end();
    signal.throwIfAborted();
    if (givenUp?.aborted === true) return retain({ ...sent, answer: noLongerAwaited });
    const end = mayBeCrash(answer) ? await presence.lost(until) : undefined;
    signal.throwIfAborted();
    // The silence of a process that has ended proves nothing about the next one.
    if (end !== undefined) {
      return retain({ ...sent, ...afterProcessEnd(answer, end, event.id) });
    }
    // The message becomes that of a condition or an Event of the provider, whose readers may not know the secrets of the resource.
    const shown =
      isClockSkew(answer) || isCrash(answer)
        ? { ...answer, message: await maskedText(answer.message, observed) }
        : answer;
    deps.delivered(provider, url, shown);
    lease.ended(outcomeOf(answer));
    return retain({ ...sent, answer });
  } finally {
    ended.abort();
    void progress.end();
    presence.leave();
  }
}

function outcomeOf(answer: Answer): DeliveryOutcome<Answer> {
  if (answer.kind === 'failed' && answer.unanswered === true) return { silence: answer };
  const holdsAll = asksToWait(answer) && answer.retryScope === 'provider';
  return holdsAll ? { holdMs: answer.retryAfterMs } : 'answered';
}

const noLongerAwaited: Answer = {
  kind: 'failed',
  terminal: false,
  code: 'TIMEOUT' satisfies FailureCode,
  message:
    'The deletion is forced, and the provider did not answer within the time of one delivery',
};

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
    ...(event.crash === undefined ? {} : { isSuspect: true }),
    ...(event.type === 'OBSERVE' ? { adopt: (spec.adopt as JsonObject | undefined) ?? null } : {}),
  };
}

/** An import is sent no context: the stored one belongs to the CREATE before it, and a DELETE needs it. */
function contextOf({ type, context }: ClaimedEvent): JsonObject | null {
  return type === 'OBSERVE' ? null : ((context as JsonObject | undefined) ?? null);
}
