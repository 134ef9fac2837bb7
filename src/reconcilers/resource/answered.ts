// The answer to the claimed event that is not recorded yet, and the event with the consequences of the answer. Pure.
import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import type { Answer } from '../../events/protocol.ts';
import { withClockSkew } from '../clock-skew/answer.ts';
import { judgedEvent } from '../crashes/answer.ts';
import type { UnrecordedAnswer } from './delivery/unrecorded-answers.ts';
import { withHold } from './hold.ts';
import type { Situation } from './situation.ts';
import { isCancelling } from './status/event-status.ts';

export interface Answered<Kind extends Answer['kind']> {
  readonly event: ClaimedEvent;
  readonly unrecorded: UnrecordedAnswer<Kind>;
}

/** @returns undefined when there is no answer of this kind to the event */
export function answered<Kind extends Answer['kind']>(
  situation: Situation,
  kind: Kind,
): Answered<Kind> | undefined {
  // The answer to a CANCEL proves nothing about the event that it cancels.
  return isCancelling(situation.resource) ? undefined : answerOfKind(situation, kind);
}

/** @returns undefined when there is no answer of this kind to the CANCEL of the event */
export function answeredCancel<Kind extends Answer['kind']>(
  situation: Situation,
  kind: Kind,
): Answered<Kind> | undefined {
  return isCancelling(situation.resource) ? answerOfKind(situation, kind) : undefined;
}

function answerOfKind<Kind extends Answer['kind']>(
  { resource, unrecorded, now }: Situation,
  kind: Kind,
): Answered<Kind> | undefined {
  const event = resource.status?.event;
  if (event === undefined || unrecorded === undefined || !isOfKind(unrecorded, kind))
    return undefined;
  const { answer } = unrecorded;
  const skewed = withClockSkew(judgedEvent(event, unrecorded), answer, now);
  return { event: withHold(skewed, answer, now), unrecorded };
}

function isOfKind<Kind extends Answer['kind']>(
  unrecorded: UnrecordedAnswer,
  kind: Kind,
): unrecorded is UnrecordedAnswer & UnrecordedAnswer<Kind> {
  return unrecorded.answer.kind === kind;
}
