// Pure. An operation that a provider answered with 202 continues there whatever the spec asks for. So a deletion first polls
// it to its end, with its event id and context: a concurrent DELETE could not find the unfinished object. A type that can cancel
// operations is sent a CANCEL instead.
import { Reason } from '../../../crds/conditions.ts';
import { firstMatch } from '../../../lib/first-match.ts';
import { answerRules } from '../answer-rules.ts';
import {
  giveUpEndlessOperation,
  sendTheClaimedEvent,
  waitForProvider,
  waitOutTheBackoff,
} from '../claimed-event.ts';
import { asksToWait } from '../hold.ts';
import type { Decision, Rule, Situation } from '../situation.ts';
import { isCancelling } from '../status/event-status.ts';
import { cancelRules, isCancelled, requestCancellation } from './cancel-operation.ts';

const nextDelivery: readonly Rule[] = [waitForTheNextPoll, waitForItsProvider, sendTheClaimedEvent];
const toItsEnd: readonly Rule[] = [...answerRules, ...nextDelivery];
const whileCancelling: readonly Rule[] = [...cancelRules, ...nextDelivery];

/** Returns nothing when there is no operation, it has ended, or the deletion no longer waits for it. */
export function finishOperation(situation: Situation): Decision | undefined {
  if (!isOperationUnderWay(situation) || isOverdue(situation)) return undefined;
  if (isCancelling(situation.resource)) {
    return isCancelled(situation) ? undefined : firstMatch(whileCancelling, situation);
  }
  return requestCancellation(situation) ?? pollToItsEnd(situation);
}

function pollToItsEnd(situation: Situation): Decision | undefined {
  return hasFailedForGood(situation) ? undefined : firstMatch(toItsEnd, situation);
}

function isOperationUnderWay({ resource, unrecorded }: Situation): boolean {
  const { event } = resource.status ?? {};
  if (event === undefined || event.type === 'DELETE') return false;
  return event.acceptedAt !== undefined || unrecorded?.answer.kind === 'later';
}

/** Forced deletions and terminating namespaces wait for no operation; its inputs may be gone by then. */
function isOverdue(situation: Situation): boolean {
  const { forced, terminating, resolution, waits } = situation;
  if (forced || terminating || resolution.unresolved.length > 0) return true;
  return waits.operationWhileDeletingMs === 0 || giveUpEndlessOperation(situation) !== undefined;
}

function hasFailedForGood({ resource, unrecorded, policy }: Situation): boolean {
  if (unrecorded?.answer.kind !== 'failed' || asksToWait(unrecorded.answer)) return false;
  const attempt = resource.status?.event?.attempt ?? 0;
  return unrecorded.answer.terminal || attempt >= policy.maxAttempts;
}

function waitForTheNextPoll(situation: Situation): Decision | undefined {
  const wait = waitOutTheBackoff(situation);
  if (wait?.do !== 'wait') return undefined;
  const end = endOf(situation);
  const until = wait.until < end ? wait.until : end;
  const { state, event } = situation.resource.status ?? {};
  // Every poll records it itself.
  if (state === 'deleting') return { do: 'wait', until };
  const message = `Deletion is waiting until ${end.toISOString()} for the running ${event?.type} operation to finish`;
  return { do: 'explain', reason: Reason.InProgress, message, until };
}

function waitForItsProvider(situation: Situation): Decision | undefined {
  const waiting = waitForProvider(situation);
  return waiting?.do === 'explain' ? { ...waiting, until: endOf(situation) } : waiting;
}

function endOf({ now, waits }: Situation): Date {
  return new Date(now.getTime() + waits.operationWhileDeletingMs);
}
