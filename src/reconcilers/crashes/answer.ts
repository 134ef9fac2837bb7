// Pure. Explains the end of a pod as the answer to a delivery, and decides which events run in processes of their own.
import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import type { FailureCode } from '../../domain/failures/failure-codes.ts';
import { lastLines } from '../../domain/process-end/last-lines.ts';
import { crashSentence } from '../../domain/process-end/sentence.ts';
import type { Answer } from '../../events/protocol.ts';
import type { ProcessEnd } from './process-ends.ts';

const lost: FailureCode = 'CONNECTION_LOST';
const unreached: FailureCode = 'UNREACHABLE';

/** The code that the SDK answers to the event whose handler ends the process. */
const answeredCrash = 'crashed';

/** The code of a pod for an event that the end of a process ended, for which another event is to blame. */
const interrupted = 'interrupted';

/** Returns whether an event was not to blame for what kept its process from answering. */
export function isInterrupted(answer: Answer): boolean {
  return answer.kind === 'failed' && !answer.terminal && answer.code === interrupted;
}

/** Returns whether an answer is that of an event that ended its process. */
export function isCrash(
  answer: Answer,
): answer is FailedDelivery & { readonly code: typeof answeredCrash } {
  return answer.kind === 'failed' && answer.code === answeredCrash;
}

/** Returns whether an answer may be missing because the process has ended. */
export function mayBeCrash(answer: Answer): boolean {
  return answer.kind === 'failed' && (isLostDelivery(answer) || answer.code === unreached);
}

type FailedDelivery = Extract<Answer, { kind: 'failed' }>;

/** An event that did not reach the process has nothing to do with its end. */
function isLostDelivery({ code }: FailedDelivery): boolean {
  return code === lost;
}

/** @returns the failed attempt with the end of the process, and its last lines when no other event was in it */
export function afterProcessEnd(answer: Answer, end: ProcessEnd, eventId: string): EndedDelivery {
  const { terminated, others } = end;
  const isPlanned = end.isPlanned || answer.kind !== 'failed' || !isLostDelivery(answer);
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
export function judgedEvent(
  event: ClaimedEvent,
  { answer, processEnd }: EndedDelivery,
): ClaimedEvent {
  const { crash, ...innocent } = event;
  if (processEnd?.isPlanned === false) {
    // One suspect of a provider is delivered at a time.
    return { ...innocent, crash: isSuspected(processEnd, crash) ? 'Suspect' : 'Culprit' };
  }
  if (isCrash(answer)) return { ...innocent, crash: 'Culprit' };
  if (answer.kind === 'failed' && answer.suspect) return { ...event, crash: crash ?? 'Suspect' };
  const isAnswered =
    answer.kind !== 'failed' || (answer.unanswered !== true && !isInterrupted(answer));
  return crash === 'Suspect' && isAnswered ? innocent : event;
}

/** @returns whether another event may have ended the pod: the one that was a suspect before is to blame @param crash before the end */
export function isSuspected(
  { others }: Pick<ProcessEnd, 'others'>,
  crash: ClaimedEvent['crash'],
): boolean {
  return others > 0 && crash === undefined;
}
