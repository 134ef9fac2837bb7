// Pure. Decides about a Resource that is being deleted; first match wins. Its finalizer is removed in the end: because its
// provider cleaned up, or because none can and the deletion is forced.
import { Reason } from '../../../crds/conditions.ts';
import type { FailureCode } from '../../../domain/failures/failure-codes.ts';
import { isBetweenObjects, isDeletionEvent, isOrphaned } from '../../../store/resources/state.ts';
import {
  completeDeletion,
  deferOperation,
  failAfterLastAttempt,
  failTerminally,
  recordSuccess,
  scheduleRetry,
} from '../answer-rules.ts';
import {
  firstOfNames,
  giveUpEndlessOperation,
  newDeletion,
  requeued,
  sendTheClaimedEvent,
  waitForProvider,
  waitOutTheBackoff,
} from '../claimed-event.ts';
import { retryUncounted } from '../failures/uncounted.ts';
import {
  abandonProtected,
  holdDeletionWhilePaused,
  holdWhileProtected,
  isKept,
  unlessGuarded,
} from '../guards.ts';
import { wasOnlyImported } from '../imports/import.ts';
import {
  abandonTakenObject,
  failTakenObject,
  waitForContestedObject,
} from '../imports/taken-object.ts';
import { abandonReadOnly } from '../read-only.ts';
import type { Decision, Rule, Situation } from '../situation.ts';
import {
  isWaitingForNewerVersion,
  recordTooOld,
  waitForNewerVersion,
} from '../type/newer-content.ts';
import { waitForRetiredType } from '../type/retired-type.ts';
import { finishOperation } from './finish-operation.ts';

export const whileDeleting: readonly Rule[] = [
  leaveToOthersOnceReleased,
  releaseWhatNoProviderKnows,
  unlessGuarded(abandonReadOnly),
  completeDeletion,
  // Before every rule that writes the status: a forced deletion ends, whatever cannot be written.
  abandonByForce,
  failTakenObject,
  waitForContestedObject,
  // A success must be recorded for the teardown; the failure of an event that the deletion supersedes must not.
  recordSuccess,
  ofDeletion(deferOperation),
  unlessGuarded(abandonOrphans),
  unlessGuarded(abandonTakenObject),
  abandonProtected,
  abandonWithTheNamespace,
  ofDeletion(retryUncounted),
  recordTooOld,
  // After the rules that end without a dead letter: where none can be written, the deletion would never end.
  ofDeletion(failTerminally),
  ofDeletion(failAfterLastAttempt),
  ofDeletion(scheduleRetry),
  waitForNewerVersion,
  finishOperation,
  waitForUsers,
  holdFailedDeletion,
  waitForRetiredType,
  holdWhileProtected,
  holdDeletionWhilePaused,
  claimDeletion,
  giveUpEndlessOperation,
  waitOutTheBackoff,
  giveUpWithoutProvider,
  sendTheClaimedEvent,
];

function leaveToOthersOnceReleased({ hasFinalizer }: Situation): Decision | undefined {
  return hasFinalizer ? undefined : { do: 'nothing' };
}

function releaseWhatNoProviderKnows(situation: Situation): Decision | undefined {
  const { resource } = situation;
  const { status } = resource;
  const isUnknown =
    status?.event === undefined || isBetweenObjects(status) || wasOnlyImported(resource);
  return isUnknown && !isKept(situation) ? { do: 'release' } : undefined;
}

function abandonOrphans({ resource }: Situation): Decision | undefined {
  return isOrphaned(resource) ? { do: 'abandon', why: 'OrphanPolicy' } : undefined;
}

/** Force is no shortcut: a provider that can clean up does so, but with only one delivery. */
function abandonByForce(situation: Situation): Decision | undefined {
  if (!situation.forced || isKept(situation)) return undefined;
  if (mayStillBeTornDown(situation) && !wasAskedInVain(situation)) return undefined;
  return { do: 'abandon', why: 'Forced' };
}

function wasAskedInVain({ resource }: Situation): boolean {
  const event = resource.status?.event;
  return isDeletionEvent(event) && event?.nextAttemptAt !== undefined;
}

/** The namespace deletes its pods and accepts no new objects: neither a provider nor a dead letter. */
function abandonWithTheNamespace(situation: Situation): Decision | undefined {
  if (!situation.terminating || mayStillBeTornDown(situation)) return undefined;
  return { do: 'abandon', why: 'NamespaceDeleted' };
}

function mayStillBeTornDown(situation: Situation): boolean {
  if (situation.endpoint === undefined || failedForGood(situation)) return false;
  if (situation.typeRetired !== undefined || isWaitingForNewerVersion(situation)) return false;
  const isDeletion = isDeletionEvent(situation.resource.status?.event);
  const endless = isDeletion ? giveUpEndlessOperation(situation) : undefined;
  return (holdFailedDeletion(situation) ?? endless) === undefined;
}

/** A terminating namespace accepts no dead letter, and a forced deletion waits for none. */
function failedForGood({ resource, unrecorded, policy }: Situation): boolean {
  const event = resource.status?.event;
  if (!isDeletionEvent(event) || unrecorded?.answer.kind !== 'failed') return false;
  return unrecorded.answer.terminal || (event?.attempt ?? 0) >= policy.maxAttempts;
}

/** Reverse order: users of its outputs are removed first, also when both were deleted with kubectl. */
function waitForUsers({ users, forced, terminating }: Situation): Decision | undefined {
  if (users.length === 0 || forced || terminating) return undefined;
  const message = `Used by ${firstOfNames(users)}`;
  return { do: 'explain', reason: Reason.InUse, message };
}

/** Applies a rule to the DELETE of the deletion alone: that of a replacement gives way to it, like any other event. */
function ofDeletion(rule: Rule): Rule {
  return (situation) =>
    isDeletionEvent(situation.resource.status?.event) ? rule(situation) : undefined;
}

function holdFailedDeletion({ resource, requeue }: Situation): Decision | undefined {
  const { status } = resource;
  const failed = isDeletionEvent(status?.event) && status?.reason === Reason.DeleteFailed;
  return failed && requeue === undefined ? { do: 'nothing' } : undefined;
}

function claimDeletion(situation: Situation): Decision | undefined {
  const { event } = situation.resource.status ?? {};
  return event !== undefined && isDeletionEvent(event)
    ? requeued(event, situation)
    : { do: 'claim', event: newDeletion(situation) };
}

/** Over HTTP a resource being deleted is invisible; its dead letter is not. */
function giveUpWithoutProvider(situation: Situation): Decision | undefined {
  const { resource, resolution, endpoint, now, waits } = situation;
  const { event } = resource.status ?? {};
  if (endpoint !== undefined || event === undefined) return undefined;
  const until = new Date(now.getTime() + waits.providerMs);
  const waiting = waitForProvider(situation);
  if (waits.providerMs > 0) return waiting?.do === 'explain' ? { ...waiting, until } : waiting;
  const { provider } = resource.spec;
  const failure = {
    code: 'PROVIDER_MISSING' satisfies FailureCode,
    message: `Provider ${provider} did not become ready to clean up; deploy it and retry, or delete the resource by force`,
    reason: Reason.DeleteFailed,
  };
  return { do: 'fail', event, failure, references: resolution.hash };
}
