// Ends an event, or a deletion, for good: with a dead letter, or with an orphan receipt. Each is written before the resource changes,
// and named after it, so a crash between the two writes repeats harmlessly.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import { Reason } from '../../../crds/conditions.ts';
import type { Resource } from '../../../crds/resource.ts';
import { type Outcome, settled } from '../../../kube/api.ts';
import { KubeError } from '../../../kube/errors.ts';
import type { Recorder } from '../../../kube/recorder.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { DeadLetter } from '../../../store/dead-letters/object.ts';
import type { Receipt, ReceiptStore } from '../../../store/dead-letters/orphan-receipts.ts';
import type { DeadLetterStore } from '../../../store/dead-letters/store.ts';
import { kinds } from '../../../store/kinds.ts';
import type { ClaimStore } from '../../../store/resources/claims.ts';
import { isDeletionEvent } from '../../../store/resources/state.ts';
import type { LeakCheck, LeakQuestion } from '../../observation/leak-check.ts';
import type { Removals } from '../deletion/removals.ts';
import type { UnrecordedAnswers } from '../delivery/unrecorded-answers.ts';
import type { Observed } from '../observe.ts';
import { recordEvent } from '../record-event.ts';
import type { Action } from '../situation.ts';
import { failed } from '../status/status.ts';
import { deadLetterOf, maskedFailure, maskedLog, receiptOf } from './failure-record.ts';

export interface GiveUpDeps {
  readonly claims: Pick<ClaimStore, 'writeStatus' | 'release'>;
  readonly removals: Pick<Removals, 'released'>;
  readonly deadLetters: Pick<DeadLetterStore, 'write'>;
  readonly receipts: Pick<ReceiptStore, 'write' | 'removeOldest'>;
  readonly answers: Pick<UnrecordedAnswers, 'drop'>;
  readonly leakCheck: LeakCheck;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly clock: Clock;
}

type Fail = Extract<Action, { do: 'fail' }>;

export async function fail(
  { event, failure, references, identity }: Fail,
  observed: Observed,
  deps: GiveUpDeps,
): Promise<Outcome> {
  const { resource } = observed;
  const now = deps.clock.now();
  const { code, error } = await maskedFailure(failure, observed);
  const isSuperseded = resource.metadata.deletionTimestamp !== undefined && !isDeletionEvent(event);
  if (!isSuperseded) {
    const log = await maskedLog(failure.log ?? [], observed);
    const exists = mayBeLeft(event, failure)
      ? await deps.leakCheck(leakQuestion(observed))
      : undefined;
    const deadLetter = deadLetterOf(event, observed, { code, error, log, exists, now });
    await writeDeadLetter(deadLetter, resource, deps);
  }
  const { reason } = failure;
  const next = failed(resource, { event, error, reason, references, identity }, now);
  await deps.claims.writeStatus(resource, next);
  deps.answers.drop(event);
  recordEvent(deps, resource, { type: 'Warning', reason: next.reason as Reason, message: error });
  return settled;
}

export async function abandon(
  why: Receipt['reason'],
  observed: Observed,
  { claims, receipts, removals, leakCheck, clock }: GiveUpDeps,
): Promise<Outcome> {
  // An object that is left on purpose, or with its namespace, exists for all that is known.
  const exists = why === 'Forced' ? await leakCheck(leakQuestion(observed)) : undefined;
  await receipts.write(await receiptOf(observed, { reason: why, exists, now: clock.now() }));
  removals.released(observed.resource);
  await claims.release(observed.resource);
  return settled;
}

/** Reasons of a failure after which the provider may have created something. */
const reachedProvider: readonly Reason[] = [
  Reason.ProviderFailed,
  Reason.AttemptsExhausted,
  Reason.OperationTimedOut,
];

function mayBeLeft({ type }: ClaimedEvent, { reason }: Fail['failure']): boolean {
  return type === 'CREATE' && reachedProvider.includes(reason);
}

function leakQuestion({
  resource,
  organizationId,
  observe,
  concurrency,
  resolution,
}: Observed): LeakQuestion {
  return { resource, organizationId, observe, concurrency, config: resolution.config };
}

// Writes a dead letter within the quota of ConfigMaps that it shares with orphan receipts. A dead letter decides about a resource,
// an orphan receipt records a removed one: so the oldest orphan receipt is deleted when the quota is full.

interface WriteDeps {
  readonly deadLetters: Pick<DeadLetterStore, 'write'>;
  readonly receipts: Pick<ReceiptStore, 'removeOldest'>;
  readonly recorder: Pick<Recorder, 'record'>;
}

/**
 * @throws KubeError `forbidden` with detail `quotaExceeded` when the quota is full. Then the oldest orphan receipt, if any,
 * is deleted: the quota controller frees its place a moment later, and the next pass writes the dead letter.
 */
async function writeDeadLetter(
  deadLetter: DeadLetter,
  { metadata }: Resource,
  { deadLetters, receipts, recorder }: WriteDeps,
): Promise<void> {
  try {
    await deadLetters.write(deadLetter);
  } catch (thrown) {
    if (!(thrown instanceof KubeError) || thrown.detail !== 'quotaExceeded') throw thrown;
    const receipt = await receipts.removeOldest(deadLetter.resource.namespace);
    if (receipt !== undefined) {
      const message = `The ConfigMap quota is exceeded; orphan receipt ${receipt} was deleted to make room for the dead letter of event ${deadLetter.eventId}`;
      const about = { type: 'Warning', reason: Reason.QuotaExceeded, message } as const;
      recorder.record({ kind: kinds.resource, metadata }, about);
    }
    throw thrown;
  }
}
