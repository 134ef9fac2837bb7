// Performs exactly one decision. The order of writes is the crash safety: claim, send, result; letter before `failed`;
// finalizer last.
import { Reason } from '../../crds/conditions.ts';
import type { ClaimedEvent, Resource, ResourceStatus } from '../../crds/resource.ts';
import type { Clock } from '../../domain/clock.ts';
import type { JsonObject } from '../../domain/json.ts';
import { type RetryPolicy, retryDelay } from '../../domain/retry.ts';
import type { Answer, OutgoingEvent } from '../../events/protocol.ts';
import { again, type Outcome, settled, waitUntil } from '../../kube/api.ts';
import type { Recorder } from '../../kube/recorder.ts';
import type { Receipt, ReceiptStore } from '../../store/dead-letters/orphan-receipts.ts';
import type { DeadLetterStore } from '../../store/dead-letters/store.ts';
import { kinds } from '../../store/kinds.ts';
import type { ClaimStore } from '../../store/resources/claims.ts';
import type { Reachability } from '../reachability.ts';
import { deadLetterOf, maskedFailure, receiptOf, withoutSecrets } from './failure-record.ts';
import type { Observed } from './observe.ts';
import type { DeliveryOutcome, ProviderLimiter } from './provider-limiter.ts';
import type { Decision, Failure } from './situation.ts';
import * as status from './status.ts';
import { deliveryOf, type UnrecordedAnswer, type UnrecordedAnswers } from './unrecorded-answers.ts';
import { writeDeadLetter } from './write-dead-letter.ts';

export interface ActDeps {
  readonly claims: ClaimStore;
  readonly deadLetters: Pick<DeadLetterStore, 'bury'>;
  readonly receipts: Pick<ReceiptStore, 'write' | 'removeOldest'>;
  readonly answers: UnrecordedAnswers;
  readonly limiter: ProviderLimiter<Answer>;
  readonly dispatch: (
    event: OutgoingEvent,
    endpoint: { url: string },
    signal: AbortSignal,
  ) => Promise<Answer>;
  /** Hears of every delivery. */
  readonly delivered: Reachability['delivered'];
  readonly recorder: Pick<Recorder, 'record' | 'wasTroubled'>;
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly random: () => number;
}

export function act(
  decision: Decision,
  observed: Observed,
  deps: ActDeps,
  signal: AbortSignal,
): Promise<Outcome> {
  switch (decision.do) {
    case 'nothing':
      return Promise.resolve(settled);
    case 'wait':
      return Promise.resolve(waitUntil(decision.until));
    case 'explain':
      return explain(decision, observed, deps);
    case 'protect':
      return deps.claims.protect(observed.resource).then(() => again);
    case 'claim':
      return claim(decision.event, observed, deps);
    case 'send':
      return send(decision, observed, { deps, signal });
    case 'record':
      return record(decision, observed, deps);
    case 'fail':
      return bury(decision.event, observed, {
        deps,
        failure: decision.failure,
        references: observed.resolution.hash,
      });
    case 'runAgain':
      return runAgain(decision.message, observed, deps);
    case 'release':
      return deps.claims.release(observed.resource).then(() => settled);
    case 'abandon':
      return abandon(decision.why, observed, deps);
  }
}

type Explain = Extract<Decision, { do: 'explain' }>;

async function explain(decision: Explain, { resource }: Observed, deps: ActDeps): Promise<Outcome> {
  const { reason, message, until } = decision;
  const outcome = until === undefined ? settled : waitUntil(until);
  const next = status.explained(resource, decision, deps.clock.now());
  if (next === undefined) return outcome;
  await deps.claims.writeStatus(resource, next);
  const news = resource.status?.reason !== reason && reason !== Reason.Draft;
  if (news) recordEvent(deps, resource, { type: 'Normal', reason, message });
  return outcome;
}

async function runAgain(
  message: string,
  { resource }: Observed,
  { claims, ...deps }: ActDeps,
): Promise<Outcome> {
  await claims.runAgain(resource);
  recordEvent(deps, resource, { type: 'Normal', reason: Reason.Queued, message });
  return settled;
}

/** Receipt first: it is named after the object, so a crash between the two writes repeats harmlessly. */
async function abandon(
  why: Receipt['reason'],
  observed: Observed,
  { claims, receipts, clock }: ActDeps,
): Promise<Outcome> {
  await receipts.write(await receiptOf(observed, why, clock.now()));
  await claims.release(observed.resource);
  return settled;
}

async function claim(event: ClaimedEvent, { resource }: Observed, deps: ActDeps): Promise<Outcome> {
  await deps.claims.writeStatus(resource, status.claimed(resource, event, deps.clock.now()));
  return again;
}

type Send = Extract<Decision, { do: 'send' }>;

async function send(
  { event, endpoint }: Send,
  observed: Observed,
  { deps, signal }: { deps: ActDeps; signal: AbortSignal },
): Promise<Outcome> {
  const { namespace = '', name } = observed.resource.metadata;
  const providerKey = `${namespace}/${observed.resource.spec.provider}`;
  const entry = deps.limiter.enter(providerKey, {
    key: `${namespace}/${name}`,
    attempt: deliveryOf(event),
  });
  if (entry.enter === 'queued') return settled;
  const outgoing = outgoingEvent(event, observed);
  const { providerVersion } = observed;
  const sent = { config: outgoing.config, references: observed.resolution.hash, providerVersion };
  if (entry.enter === 'refused') {
    const unrecorded = { ...sent, answer: entry.silence };
    return record({ do: 'record', event, unrecorded }, observed, deps);
  }
  let deliveryOutcome: DeliveryOutcome<Answer> = 'nothing';
  try {
    const answer = await deps.dispatch(outgoing, { url: endpoint }, signal);
    // Stopping is no failure of the provider: the claim stays, and the event is sent again by whoever comes next.
    signal.throwIfAborted();
    deps.delivered(providerKey, endpoint, answer);
    deliveryOutcome =
      answer.kind === 'failed' && answer.unanswered === true ? { silence: answer } : 'answered';
    const unrecorded = { ...sent, answer };
    deps.answers.keep(event, unrecorded);
    return await record({ do: 'record', event, unrecorded }, observed, deps);
  } finally {
    deps.limiter.leave(providerKey, deliveryOutcome);
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

/** A deletion resolves nothing anew: what the config refers to may be gone, and what was made was made from the old. */
function configFor({ type }: ClaimedEvent, { resource, resolution }: Observed): JsonObject {
  const { spec, status: present } = resource;
  const refers = resolution.hash !== undefined || resolution.unresolved.length > 0;
  if (type !== 'DELETE' || !refers) return resolution.config;
  return (present?.appliedConfig ?? spec.config) as JsonObject;
}

type Record = Extract<Decision, { do: 'record' }>;

async function record(decision: Record, observed: Observed, deps: ActDeps): Promise<Outcome> {
  const { event, unrecorded } = decision;
  const outcome = await recordAnswer(event, unrecorded, { observed, deps });
  // Of what was just released the cache still says that its event is to be sent, until the watch says that it is gone.
  const released = event.type === 'DELETE' && unrecorded.answer.kind === 'succeeded';
  if (!released) deps.answers.drop(event);
  return outcome;
}

function recordAnswer(
  event: ClaimedEvent,
  unrecorded: UnrecordedAnswer,
  { observed, deps }: { observed: Observed; deps: ActDeps },
): Promise<Outcome> {
  const { answer } = unrecorded;
  switch (answer.kind) {
    case 'succeeded':
      return succeed(event, { ...unrecorded, outputs: answer.outputs }, { observed, deps });
    case 'later':
      return defer(event, answer, { observed, deps });
    case 'failed':
      return fail(event, { ...unrecorded, answer }, { observed, deps });
  }
}

interface Context {
  readonly observed: Observed;
  readonly deps: ActDeps;
}

async function succeed(
  event: ClaimedEvent,
  { answer: _answer, ...done }: UnrecordedAnswer & { outputs: JsonObject },
  { observed, deps }: Context,
): Promise<Outcome> {
  const { resource, content } = observed;
  if (event.type === 'DELETE') {
    await deps.claims.release(resource);
    return settled;
  }
  const success = { event, ...done, content };
  const next = status.succeeded(resource, success, deps.clock.now());
  await deps.claims.writeStatus(resource, next);
  // Claiming clears the error of a failure: the recorder remembers what it told.
  const { wasTroubled } = deps.recorder;
  const recovered = resource.status?.error !== undefined || wasTroubled(resource.metadata);
  if (recovered || event.type === 'CREATE') {
    const message = `${recovered ? 'Recovered: ' : ''}${event.type} succeeded`;
    recordEvent(deps, resource, { type: 'Normal', reason: Reason.Processed, message });
  }
  return next.state === 'ready' ? settled : again;
}

async function defer(
  event: ClaimedEvent,
  { retryAfterMs, message, context }: Extract<Answer, { kind: 'later' }>,
  { observed, deps }: Context,
): Promise<Outcome> {
  const now = deps.clock.now();
  const due = new Date(now.getTime() + retryAfterMs);
  const shown = await withoutSecrets(message ?? 'The provider is still working', observed);
  const later = { event, message: shown, context, due };
  await deps.claims.writeStatus(observed.resource, status.deferred(observed.resource, later, now));
  return waitUntil(due);
}

async function fail(
  event: ClaimedEvent,
  { answer, references }: UnrecordedAnswer & { answer: Extract<Answer, { kind: 'failed' }> },
  { observed, deps }: Context,
): Promise<Outcome> {
  const last = event.attempt >= deps.policy.maximumAttempts;
  if (answer.terminal || last) {
    const reason = answer.terminal ? Reason.ProviderFailed : Reason.AttemptsExhausted;
    return bury(event, observed, { deps, failure: { ...answer, reason }, references });
  }
  const now = deps.clock.now();
  const delay = retryDelay(deps.policy, {
    attempt: event.attempt,
    random: deps.random(),
    retryAfterMs: answer.retryAfterMs,
  });
  const due = new Date(now.getTime() + delay);
  const { error } = await maskedFailure(answer, observed);
  const next = status.retrying(observed.resource, { event, error, due }, now);
  await deps.claims.writeStatus(observed.resource, next);
  if (event.attempt === 1) {
    recordEvent(deps, observed.resource, {
      type: 'Warning',
      reason: Reason.RetryScheduled,
      message: `Attempt 2 follows at ${due.toISOString()}, after attempt 1 failed: ${error}`,
    });
  }
  return waitUntil(due);
}

interface Burial {
  readonly deps: ActDeps;
  readonly failure: Failure;
  /** Hash of the outputs of others that it failed with. */
  readonly references: string | undefined;
}

/** Letter first: it is named after the event, so a crash between the two writes repeats harmlessly. */
async function bury(
  event: ClaimedEvent,
  observed: Observed,
  { deps, failure, references }: Burial,
): Promise<Outcome> {
  const { resource } = observed;
  const { reason } = failure;
  const now = deps.clock.now();
  const { code, error } = await maskedFailure(failure, observed);
  await writeDeadLetter(deadLetterOf(event, observed, { code, error, now }), resource, deps);
  const failed = { event, error, reason, references };
  const next: ResourceStatus = status.failed(resource, failed, now);
  await deps.claims.writeStatus(resource, next);
  recordEvent(deps, resource, { type: 'Warning', reason: next.reason as Reason, message: error });
  return settled;
}

function recordEvent(
  { recorder }: Pick<ActDeps, 'recorder'>,
  { metadata }: Resource,
  { type, reason, message }: { type: 'Normal' | 'Warning'; reason: Reason; message: string },
): void {
  recorder.record({ kind: kinds.resource, metadata }, { type, reason, message });
}
