// Performs exactly one decision. The order of writes makes a crash harmless: claim, send, result; dead letter before
// `failed`; finalizer last.

import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import { Reason } from '../../crds/conditions.ts';
import { policyOfType, type RetryPolicy, retryDelay } from '../../domain/retry.ts';
import { again, type Outcome, settled, waitUntil } from '../../kube/api.ts';
import { hasReason } from '../../kube/errors.ts';
import type { Recorder } from '../../kube/recorder.ts';
import type { ClaimStore } from '../../store/resources/claims.ts';
import { contentVersions } from './config-version.ts';
import { type ExpireDeps, expire } from './expiry/expiry.ts';
import {
  maskedFailure,
  maskedProgress,
  maskedText,
  secretPlaces,
} from './failures/failure-record.ts';
import { abandon, fail, type GiveUpDeps } from './failures/give-up.ts';
import { whenTooLarge } from './failures/too-large.ts';
import { areSettingsRefused } from './hold.ts';
import type { Observed } from './observe.ts';
import { recordEvent } from './record-event.ts';
import type { Action } from './situation.ts';
import { importedStatus } from './status/imported-status.ts';
import * as status from './status/status.ts';
import {
  cancellationFailed,
  createdAnew,
  forgottenOld,
  held,
  heldMessage,
  heldReason,
  observedOnly,
  refused,
} from './status/status.ts';

export interface ActDeps extends ExpireDeps, GiveUpDeps {
  readonly claims: ClaimStore;
  readonly recorder: Pick<Recorder, 'record' | 'wasTroubled'>;
  /** For types that declare nothing. */
  readonly policy: RetryPolicy;
  readonly random: () => number;
}

type ActionOf<Do extends Action['do']> = Extract<Action, { do: Do }>;

/** A status that cannot be stored is no reason to repeat the pass: the event fails, and a forced deletion ends. */
export async function act(decision: Action, observed: Observed, deps: ActDeps): Promise<Outcome> {
  try {
    return await perform(decision, observed, deps);
  } catch (thrown) {
    const instead = hasReason(thrown, 'tooLarge') ? whenTooLarge(decision, observed) : undefined;
    if (instead === undefined) throw thrown;
    return await act(instead, observed, deps);
  }
}

function perform(decision: Action, observed: Observed, deps: ActDeps): Promise<Outcome> {
  switch (decision.do) {
    case 'nothing':
      return Promise.resolve(settled);
    case 'wait':
      return Promise.resolve(waitUntil(decision.until));
    case 'explain':
      return explain(decision, observed, deps);
    case 'refuse':
      return refuse(decision, observed, deps);
    case 'protect':
      return deps.claims.protect(observed.resource).then(() => again);
    case 'claim':
      return claim(decision.event, observed, deps);
    case 'recordSuccess':
      return recordSuccess(decision, observed, deps);
    case 'recordImport':
      return recordImport(decision, observed, deps);
    case 'acceptReadOnly':
      return acceptReadOnly(observed, deps);
    case 'createAnew':
      return createAnew(decision, observed, deps);
    case 'forgetOld':
      return forgetOld(decision, observed, deps);
    case 'deferOperation':
      return deferOperation(decision, observed, deps);
    case 'scheduleRetry':
      return scheduleRetry(decision, observed, deps);
    case 'hold':
      return hold(decision, observed, deps);
    case 'giveUpCancellation':
      return giveUpCancellation(decision, observed, deps);
    case 'fail':
      return fail(decision, observed, deps);
    case 'expire':
      return expire(observed, deps);
    case 'runAgain':
      return runAgain(decision.message, observed, deps);
    case 'release':
      // The answer to a DELETE is kept: until the watch reports the removal, the cache shows an unsent event.
      deps.removals.released(observed.resource);
      return deps.claims.release(observed.resource).then(() => settled);
    case 'abandon':
      return abandon(decision.why, observed, deps);
  }
}

async function explain(
  decision: ActionOf<'explain'>,
  { resource }: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  const { reason, message, until, stalled = false, answered } = decision;
  const outcome = until === undefined ? settled : waitUntil(until);
  const next = status.explained(resource, { reason, message, stalled }, deps.clock.now());
  if (next !== undefined) await deps.claims.writeStatus(resource, next);
  if (answered !== undefined) deps.answers.drop(answered);
  if (next === undefined) return outcome;
  const news = resource.status?.reason !== reason && reason !== Reason.Draft;
  if (news) recordEvent(deps, resource, { type: 'Normal', reason, message });
  return outcome;
}

async function refuse(
  { message, references }: ActionOf<'refuse'>,
  { resource, content, requeue }: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  const refusal = { message, references, content, requeue };
  const next = refused(resource, refusal, deps.clock.now());
  await deps.claims.writeStatus(resource, next);
  recordEvent(deps, resource, { type: 'Warning', reason: Reason.ImmutableField, message });
  return settled;
}

async function createAnew(
  { event, deleted }: ActionOf<'createAnew'>,
  { resource }: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  await deps.claims.writeStatus(resource, createdAnew(resource, event, deps.clock.now()));
  deps.answers.drop(deleted);
  const message = 'The old object is deleted; the new one is created next';
  recordEvent(deps, resource, { type: 'Normal', reason: Reason.Replacing, message });
  return again;
}

async function forgetOld(
  { deleted, ...why }: ActionOf<'forgetOld'>,
  { resource }: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  await deps.claims.writeStatus(resource, forgottenOld(resource, why, deps.clock.now()));
  deps.answers.drop(deleted);
  const message = `The old object is deleted; the new one waits. ${why.message}`;
  recordEvent(deps, resource, { type: 'Normal', reason: Reason.Replacing, message });
  return settled;
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

async function claim(event: ClaimedEvent, { resource }: Observed, deps: ActDeps): Promise<Outcome> {
  await deps.claims.writeStatus(resource, status.claimed(resource, event, deps.clock.now()));
  return again;
}

async function recordSuccess(
  { event, unrecorded }: ActionOf<'recordSuccess'>,
  observed: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  const { resource, content } = observed;
  const { answer, ...sent } = unrecorded;
  const { outputs } = answer;
  const secrets = secretPlaces({ ...sent, outputs }, observed);
  const versions = contentVersions(unrecorded);
  const success = { event, ...sent, secrets, outputs, versions, content };
  const next = status.succeeded(resource, success, deps.clock.now());
  await deps.claims.writeStatus(resource, next);
  deps.answers.drop(event);
  // A claim clears the error of a failure, so the recorder keeps track of it.
  const { wasTroubled } = deps.recorder;
  const recovered = resource.status?.error !== undefined || wasTroubled(resource.metadata);
  // With a deleted resource its Events end, too.
  if (recovered || event.type !== 'DELETE') {
    const message = `${recovered ? 'Recovered: ' : ''}${event.type} succeeded`;
    recordEvent(deps, resource, { type: 'Normal', reason: Reason.Processed, message });
  }
  return next.state === 'ready' ? settled : again;
}

async function recordImport(
  { event, unrecorded }: ActionOf<'recordImport'>,
  observed: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  const { resource } = observed;
  const now = deps.clock.now();
  const {
    status: next,
    message,
    reason,
  } = await importedStatus({ event, unrecorded }, observed, now);
  await deps.claims.writeStatus(resource, next);
  deps.answers.drop(event);
  recordEvent(deps, resource, { type: 'Normal', reason, message });
  return next.state === 'ready' ? settled : again;
}

/** Observations go on from here: see reconcilers/observation. */
async function acceptReadOnly(
  { resource, ...accepted }: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  const next = observedOnly(resource, accepted, deps.clock.now());
  await deps.claims.writeStatus(resource, next);
  return settled;
}

async function deferOperation(
  { event, answer }: ActionOf<'deferOperation'>,
  observed: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  const { retryAfterMs, message = 'The provider is still working', context } = answer;
  const progress = answer.progress && (await maskedProgress(answer.progress, observed));
  const now = deps.clock.now();
  const due = new Date(now.getTime() + retryAfterMs);
  const later = { event, message: await maskedText(message, observed), progress, context, due };
  await deps.claims.writeStatus(observed.resource, status.deferred(observed.resource, later, now));
  deps.answers.drop(event);
  return waitUntil(due);
}

async function scheduleRetry(
  { event, answer, isFree = false }: ActionOf<'scheduleRetry'>,
  observed: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  const now = deps.clock.now();
  const delay = retryDelay(policyOfType(deps.policy, observed), {
    attempt: event.attempt,
    random: deps.random(),
    retryAfterMs: answer.retryAfterMs,
  });
  const due = new Date(now.getTime() + delay);
  const { error } = await maskedFailure(answer, observed);
  const next = status.retrying(observed.resource, { event, error, due, isFree }, now);
  await deps.claims.writeStatus(observed.resource, next);
  deps.answers.drop(event);
  // Not again for each repetition that is not counted.
  if (event.attempt === 1 && observed.resource.status?.reason !== Reason.RetryScheduled) {
    recordEvent(deps, observed.resource, {
      type: 'Warning',
      reason: Reason.RetryScheduled,
      message: `Attempt 1 failed; retrying at ${due.toISOString()}: ${error}`,
    });
  }
  return waitUntil(due);
}

async function hold(
  { event, answer }: ActionOf<'hold'>,
  observed: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  const { resource } = observed;
  const now = deps.clock.now();
  const due = new Date(now.getTime() + answer.retryAfterMs);
  const { error } = await maskedFailure(answer, observed);
  const isRefused = areSettingsRefused(answer);
  const next = held(resource, { event, error, due, isRefused }, now);
  await deps.claims.writeStatus(resource, next);
  deps.answers.drop(event);
  // Not again for each of the waits in a row.
  if (resource.status?.event?.hold === undefined) {
    const message = heldMessage({ event, error, due, isRefused });
    const type = isRefused ? 'Warning' : 'Normal';
    recordEvent(deps, resource, { type, reason: heldReason(isRefused), message });
  }
  return waitUntil(due);
}

async function giveUpCancellation(
  { event, answer }: ActionOf<'giveUpCancellation'>,
  observed: Observed,
  deps: ActDeps,
): Promise<Outcome> {
  const { resource } = observed;
  const { error } = await maskedFailure(answer, observed);
  const next = cancellationFailed(resource, { event, error }, deps.clock.now());
  await deps.claims.writeStatus(resource, next);
  deps.answers.drop(event);
  const message = `The ${event.type} operation could not be cancelled, and is polled to its end: ${error}`;
  recordEvent(deps, resource, { type: 'Warning', reason: Reason.InProgress, message });
  return again;
}
