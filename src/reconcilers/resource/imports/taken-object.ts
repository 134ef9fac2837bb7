// Pure. Rules about imports of an object that another resource stands for. HTTP refuses them by its cache, which may miss an apply of
// the same moment, and kubectl asks nobody.
import { Reason } from '../../../crds/conditions.ts';
import type { FailureCode } from '../../../domain/failures/failure-codes.ts';
import { isPendingImport } from '../../../store/resources/apply/apply-adopt.ts';
import { answered } from '../answered.ts';
import type { Decision, Failure, Situation } from '../situation.ts';
import { nothingFound } from './import.ts';
import type { Holder } from './rivals.ts';

/** Before the event is sent, and before an answer that came meanwhile is recorded: from then on an event could change the object. */
export function failTakenImport(situation: Situation): Decision | undefined {
  const { resource, content, rivals, resolution } = situation;
  const event = resource.status?.event;
  const isImport =
    event?.type === 'OBSERVE' && event.content === content && isPendingImport(resource);
  if (!isImport || rivals.holder === undefined) return undefined;
  const failure = failureFor(rivals.holder, situation);
  return { do: 'fail', event, failure, references: resolution.hash };
}

/** The project of the resource must not learn what another one has. */
function failureFor(holder: Holder, { resource }: Situation): Failure {
  if (!holder.inSameProject) return nothingFound(resource);
  const code = 'OBJECT_TAKEN' satisfies FailureCode;
  return { code, message: takenInWords(holder), reason: Reason.ObjectTaken };
}

const recordedWithinMs = 1_000;

/** Two writes at once would both succeed: this one waits until the other has seen who comes first, or has its object. */
export function waitForContestedImport(situation: Situation): Decision | undefined {
  const { rivals, now } = situation;
  if (!rivals.isContested || answered(situation, 'observed') === undefined) return undefined;
  return { do: 'wait', until: new Date(now.getTime() + recordedWithinMs) };
}

/** The rule for a resource that is only observed, which has no event. */
export function refuseTakenObject({ rivals: { holder } }: Situation): Decision | undefined {
  if (holder === undefined) return undefined;
  if (holder.inSameProject) {
    const message = takenInWords(holder);
    return { do: 'explain', reason: Reason.ObjectTaken, message, stalled: true };
  }
  const message = 'The object does not exist';
  return { do: 'explain', reason: Reason.NotFound, message };
}

function takenInWords({ name, isInDeletion }: Holder): string {
  const until = isInDeletion ? 'it is being deleted; retry when it is gone' : 'delete it first';
  return `Resource ${name} stands for the object that adopt identifies: ${until}, or correct adopt. Nothing was sent`;
}
