// Delivers a claimed event to its provider. The answer becomes part of the observed state and is recorded by the rules.
import type { ClaimedEvent } from '../../crds/resource.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Answer, OutgoingEvent } from '../../events/protocol.ts';
import type { DispatchWithin } from '../endpoints.ts';
import type { Reachability } from '../reachability.ts';
import type { Observed } from './observe.ts';
import type { DeliveryOutcome, ProviderLimiter } from './provider-limiter.ts';
import type { Decision } from './situation.ts';
import { deliveryOf, type UnrecordedAnswer, type UnrecordedAnswers } from './unrecorded-answers.ts';

export interface DeliverDeps {
  readonly answers: UnrecordedAnswers;
  readonly limiter: ProviderLimiter<Answer>;
  readonly dispatch: DispatchWithin;
  /** Receives the outcome of every delivery. */
  readonly delivered: Reachability['delivered'];
}

/**
 * @param signal aborted when this process stops: the claim stays, and the next leader sends the event again
 * @returns the answer; undefined when the event waits in the limiter of its provider
 */
export async function deliver(
  { event, endpoint }: Extract<Decision, { do: 'send' }>,
  observed: Observed,
  { deps, signal }: { deps: DeliverDeps; signal: AbortSignal },
): Promise<UnrecordedAnswer | undefined> {
  const { namespace = '', name } = observed.resource.metadata;
  const provider = `${namespace}/${observed.resource.spec.provider}`;
  const attempt = { key: `${namespace}/${name}`, attempt: deliveryOf(event) };
  const entry = deps.limiter.enter(provider, attempt);
  if (entry.enter === 'queued') return undefined;
  const outgoing = outgoingEvent(event, observed);
  const { providerVersion } = observed;
  const sent = { config: outgoing.config, references: observed.resolution.hash, providerVersion };
  if (entry.enter === 'refused') return { ...sent, answer: entry.silence };
  let outcome: DeliveryOutcome<Answer> = 'nothing';
  try {
    const answer = await deps.dispatch(outgoing, { url: endpoint, namespace }, signal);
    signal.throwIfAborted();
    deps.delivered(provider, endpoint, answer);
    outcome =
      answer.kind === 'failed' && answer.unanswered === true ? { silence: answer } : 'answered';
    const unrecorded = { ...sent, answer };
    deps.answers.keep(event, unrecorded);
    return unrecorded;
  } finally {
    deps.limiter.leave(provider, outcome);
  }
}

function outgoingEvent(event: ClaimedEvent, observed: Observed): OutgoingEvent {
  const { resource, organizationId = '' } = observed;
  const { spec, status: present } = resource;
  return {
    id: event.id,
    type: event.type,
    organizationId,
    projectId: spec.project,
    provider: spec.provider,
    resource: spec.resource,
    name: spec.name,
    config: configFor(event, observed),
    previousConfig: (present?.appliedConfig as JsonObject | undefined) ?? null,
    outputs: (present?.outputs as JsonObject | undefined) ?? {},
    attempt: event.attempt,
    sequence: event.sequence ?? 0,
    generation: event.generation,
    context: (event.context as JsonObject | undefined) ?? null,
  };
}

/** A deletion does not resolve references again: their targets may be gone, and the object was made from the old values. */
function configFor({ type }: ClaimedEvent, { resource, resolution }: Observed): JsonObject {
  const { spec, status: present } = resource;
  const refers = resolution.hash !== undefined || resolution.unresolved.length > 0;
  if (type !== 'DELETE' || !refers) return resolution.config;
  return (present?.appliedConfig ?? spec.config) as JsonObject;
}
