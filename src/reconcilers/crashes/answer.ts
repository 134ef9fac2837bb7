// Pure. Explains the end of a process as the answer to a delivery, and decides which events are delivered alone.
import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import type { FailureCode } from '../../domain/failures/failure-codes.ts';
import type { Answer } from '../../events/protocol.ts';
import { lastLines } from './last-lines.ts';
import type { ProcessEnd } from './process-ends.ts';
import { crashSentence } from './sentence.ts';

const lost: FailureCode = 'CONNECTION_LOST';
const unreached: FailureCode = 'UNREACHABLE';

/** The code that the SDK answers to the event whose handler ends the process. */
const answeredCrash = 'crashed';

/** The code that the SDK answers to further events until its process has ended; it calls no handler. */
const refusedAtEnd = 'terminating';

export function isRefusedAtEnd(answer: Answer): boolean {
  return answer.kind === 'failed' && answer.code === refusedAtEnd && !answer.terminal;
}

/** The SDK answers the event that is to blame at once, and lets its process end after the others. */
export function saysProcessEnds(answer: Answer): boolean {
  return isCrash(answer) || isRefusedAtEnd(answer);
}

function isCrash(answer: Answer): boolean {
  return answer.kind === 'failed' && answer.code === answeredCrash;
}

/** Returns whether an answer may be missing because the process has ended. */
export function mayBeCrash(answer: Answer): boolean {
  return answer.kind === 'failed' && (isLoss(answer) || answer.code === unreached);
}

type FailedDelivery = Extract<Answer, { kind: 'failed' }>;

/** An event that did not reach the process has nothing to do with its end. */
function isLoss({ code }: FailedDelivery): boolean {
  return code === lost;
}

/** @returns the failed attempt with the end of the process, and its last lines when no other event was in it */
export function afterProcessEnd(answer: Answer, end: ProcessEnd, eventId: string): EndedDelivery {
  const { terminated, others } = end;
  const isPlanned = end.isPlanned || answer.kind !== 'failed' || !isLoss(answer);
  const processEnd = { others, isPlanned };
  if (isPlanned) return { answer, processEnd };
  const beside = others === 0 ? '' : ` and ${others} ${others === 1 ? 'other' : 'others'}`;
  const when = `during this attempt${beside}`;
  const message =
    terminated === undefined
      ? `The process of the provider ended ${when}`
      : crashSentence(terminated, when);
  const code: FailureCode = 'CRASHED';
  const log = terminated === undefined || others > 0 ? [] : lastLines(terminated, eventId);
  const crashed: FailedDelivery = {
    ...{ kind: 'failed', terminal: false, unanswered: true, code, message },
    ...(log.length > 0 && { log }),
  };
  return { answer: crashed, processEnd };
}

interface EndedDelivery {
  readonly answer: Answer;
  readonly processEnd?: Pick<ProcessEnd, 'others' | 'isPlanned'> | undefined;
}

/** @returns the event with the evidence of its answer, or of the lack of one, about crashes */
export function judged(event: ClaimedEvent, { answer, processEnd }: EndedDelivery): ClaimedEvent {
  const { crash, ...innocent } = event;
  if (processEnd?.isPlanned === false) {
    return { ...innocent, crash: processEnd.others === 0 ? 'Culprit' : (crash ?? 'Suspect') };
  }
  if (isCrash(answer)) return { ...innocent, crash: 'Culprit' };
  const isAnswered =
    answer.kind !== 'failed' || (answer.unanswered !== true && !isRefusedAtEnd(answer));
  return crash === 'Suspect' && isAnswered ? innocent : event;
}
