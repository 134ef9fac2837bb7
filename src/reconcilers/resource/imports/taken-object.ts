// Pure. Rules about an object that another resource stands for. HTTP refuses an import of it by its cache, which may miss an apply of the
// same moment; kubectl asks nobody; and what a CREATE finds is known from its answer alone.
import { Reason } from '../../../crds/conditions.ts';
import type { FailureCode } from '../../../domain/failures/failure-codes.ts';
import { isPendingImport } from '../../../store/resources/apply/apply-adopt.ts';
import { hasFoundOther } from '../../../store/resources/managed-objects/precedence.ts';
import { answered } from '../answered.ts';
import type { Decision, Failure, Situation } from '../situation.ts';
import { nothingFound, recordImport } from './import.ts';
import type { Holder } from './rivals.ts';

/** Before the event is sent, and before an answer that came meanwhile is recorded: from then on an event could change the object. */
export function failTakenImport(situation: Situation): Decision | undefined {
  const { resource, content, rivals, resolution } = situation;
  const event = resource.status?.event;
  const isImport =
    event?.type === 'OBSERVE' && event.content === content && isPendingImport(resource);
  const holder = rivals.holder ?? rivals.named?.holder;
  if (!isImport || holder === undefined) return undefined;
  const failure = importFailure(holder, situation);
  return { do: 'fail', event, failure, references: resolution.hash };
}

/** The project of the resource must not learn what another one has. */
function importFailure(holder: Holder, { resource }: Situation): Failure {
  if (!holder.inSameProject) return nothingFound(resource);
  const code = 'OBJECT_TAKEN' satisfies FailureCode;
  return { code, message: `${takenInWords(holder)}, or correct adopt`, reason: Reason.ObjectTaken };
}

/** A provider that takes over what exists already: recorded, two resources would change one object, and delete it. */
export function failTakenObject({ rivals, ...situation }: Situation): Decision | undefined {
  const found = answered({ ...situation, rivals }, 'succeeded');
  const { named } = rivals;
  if (found === undefined || found.event.type === 'DELETE' || named?.holder === undefined) {
    return undefined;
  }
  const { event, unrecorded } = found;
  const code = 'ALREADY_EXISTS' satisfies FailureCode;
  const message = `The provider answered with an object that exists already. ${takenInWords(named.holder)}, or choose another name`;
  const failure = { code, message, reason: Reason.ObjectTaken };
  // A deletion of the resource must know whose object it is, and has no outputs to know it from.
  const identity = event.type === 'CREATE' ? named.identity : undefined;
  return { do: 'fail', event, failure, references: unrecorded.references, identity };
}

const recordedWithinMs = 1_000;

/** Two writes at once would both succeed: this one waits until the other has seen who comes first, or has its object. */
export function waitForContestedImport(situation: Situation): Decision | undefined {
  const { rivals, now } = situation;
  if (!rivals.isContested || answered(situation, 'observed') === undefined) return undefined;
  return { do: 'wait', until: new Date(now.getTime() + recordedWithinMs) };
}

/** No status shows yet who has the object. Recorded meanwhile, a deletion of this resource could delete what the other one made. */
export function waitForContestedObject(situation: Situation): Decision | undefined {
  const { rivals, now } = situation;
  if (rivals.named?.isContested !== true) return undefined;
  const found = answered(situation, 'succeeded');
  const isRecorded = found === undefined ? recordImport(situation) : found.event.type !== 'DELETE';
  return isRecorded ? { do: 'wait', until: new Date(now.getTime() + recordedWithinMs) } : undefined;
}

/** The rule for a resource that is only observed, which has no event. */
export function refuseTakenObject({ rivals: { holder } }: Situation): Decision | undefined {
  if (holder === undefined) return undefined;
  if (holder.inSameProject) return refusal(holder);
  const message = 'The object does not exist';
  return { do: 'explain', reason: Reason.NotFound, message };
}

/**
 * Two resources have one object: a take-over by kubectl, two answers at once, or a type that declares another identity since. The one
 * that comes first goes on, and nothing is sent for the other.
 */
export function refuseOneOfTwo({ resource, rivals: { holder } }: Situation): Decision | undefined {
  return holder === undefined || resource.status?.outputs === undefined
    ? undefined
    : refusal(holder);
}

/** A failure is shown as it is until the next event. */
export function refuseReadyOneOfTwo(situation: Situation): Decision | undefined {
  return situation.resource.status?.state === 'ready' ? refuseOneOfTwo(situation) : undefined;
}

/** A DELETE would delete the object of the other one: also after a CREATE that found it, whether or not the other one is known now. */
export function abandonTakenObject({ resource, rivals }: Situation): Decision | undefined {
  const isOneOfTwo = rivals.holder !== undefined && resource.status?.outputs !== undefined;
  const isTaken = isOneOfTwo || hasFoundOther(resource);
  return isTaken ? { do: 'abandon', why: 'ObjectTaken' } : undefined;
}

function refusal(holder: Holder): Decision {
  const message = takenInWords(holder);
  return { do: 'explain', reason: Reason.ObjectTaken, message, stalled: true };
}

/** A resource of another project has no name here. */
function takenInWords({ name, inSameProject, isInDeletion }: Holder): string {
  if (!inSameProject)
    return 'Another resource, which this project cannot see, stands for the object';
  const until = isInDeletion ? 'it is being deleted; retry when it is gone' : 'delete it first';
  return `Resource ${name} stands for the object: ${until}`;
}
