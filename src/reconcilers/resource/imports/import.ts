// Pure. Rules about imports: the first event of a resource with `spec.adopt` is an OBSERVE, which has a claim, attempts and a dead
// letter like any other event, and changes nothing.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import { Reason } from '../../../crds/conditions.ts';
import type { Resource } from '../../../crds/resource.ts';
import type { FailureCode } from '../../../domain/failures/failure-codes.ts';
import { isPendingImport } from '../../../store/resources/apply/apply-adopt.ts';
import { isReadOnly } from '../../../store/resources/options.ts';
import { wasCreateAttempted } from '../../../store/resources/state.ts';
import { type Answered, answered } from '../answered.ts';
import { contextLeft, newEvent, withContext } from '../claimed-event.ts';
import type { Decision, Failure, Situation } from '../situation.ts';

/** Returns whether its provider has observed at most: there is nothing that it could delete. */
export function wasOnlyImported({ status }: Pick<Resource, 'status'>): boolean {
  const { event, appliedConfig } = status ?? {};
  return event?.type === 'OBSERVE' && appliedConfig === undefined && !wasCreateAttempted(event);
}

/** It changes nothing, so what a deletion has to know of a CREATE before it goes on: that there was one, and its context. */
export function newImport(situation: Situation): ClaimedEvent {
  const imported = withContext(newEvent(situation, 'OBSERVE'), contextLeft(situation));
  const isAttempted = wasCreateAttempted(situation.resource.status?.event);
  return isAttempted ? { ...imported, createAttempted: true } : imported;
}

/** HTTP refuses it; kubectl cannot, and another version of the provider may observe no more. */
export function refuseUnobservable(situation: Situation): Decision | undefined {
  const { resource, observe } = situation;
  const { spec } = resource;
  const isAsked = isPendingImport(resource) || isReadOnly(spec);
  if (!isAsked || observe === true) return undefined;
  const remedy = isReadOnly(spec) ? 'set spec.management to Managed' : 'remove spec.adopt';
  const message = `The provider does not observe objects of type ${spec.provider}/${spec.resource}; deploy a version that does, or ${remedy}`;
  return { do: 'explain', reason: Reason.NotObservable, message, stalled: true };
}

export function recordImport(situation: Situation): Decision | undefined {
  const found = answeredImport(situation);
  if (found?.unrecorded.answer.exists !== true) return undefined;
  const { event, unrecorded } = found;
  return { do: 'recordImport', event, unrecorded };
}

/** Only the explicit answer means that. */
export function failMissingImport(situation: Situation): Decision | undefined {
  const found = answeredImport(situation);
  if (found === undefined) return undefined;
  const { event, unrecorded } = found;
  const failure = nothingFound(situation.resource);
  return { do: 'fail', event, failure, references: unrecorded.references };
}

export function nothingFound({ spec: { provider, resource } }: Resource): Failure {
  const code = 'NOT_FOUND' satisfies FailureCode;
  const message = `Provider ${provider} found no ${resource} for adopt; nothing was created. Correct adopt, or apply without it to create a new one`;
  return { code, message, reason: Reason.ProviderFailed };
}

/** An answer to content before a change is dropped: recorded, it would make the import of the present content an UPDATE. */
function answeredImport(situation: Situation): Answered<'observed'> | undefined {
  const found = answered(situation, 'observed');
  return found?.event.content === situation.content ? found : undefined;
}
