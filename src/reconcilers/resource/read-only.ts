// Pure. Rules about resources whose objects are only observed: they get no event. Observations are recorded beside these passes.
import { Reason } from '../../crds/conditions.ts';
import type { Resource } from '../../crds/resource.ts';
import { isReadOnly } from '../../store/resources/options.ts';
import { isReplacementDue } from '../../store/resources/state.ts';
import { readOnlyReasons } from '../observation/subject.ts';
import { refuseUnobservable } from './imports/import.ts';
import type { Observed } from './observe.ts';
import type { Decision, Situation } from './situation.ts';
import { explainUnresolved } from './unresolved.ts';

/** Returns whether the status describes an object that was only observed, and is managed from now on. */
export function isTakenOver({ spec, status }: Pick<Resource, 'spec' | 'status'>): boolean {
  return status?.management === 'Observed' && !isReadOnly(spec);
}

/**
 * Returns whether the object of the present content was found, and can still be observed. Like one that is managed, it stays ready while
 * the organization is suspended, or a dependency is updated.
 */
export function isFound({ resource, content, resolution }: Observed): boolean {
  const { status } = resource;
  const isSame = status?.management === 'Observed' && status.content === content;
  return isSame && status.reason === Reason.Found && resolution.unresolved.length === 0;
}

/** A type that is not registered proves nothing about its provider. */
export function refuseUnobservedSince(situation: Situation): Decision | undefined {
  return situation.typeRegistered ? refuseUnobservable(situation) : undefined;
}

/** An identifier of the object has changed: it is looked for anew. */
export function observeNewOutputs({
  resource,
  resolution,
  unready,
}: Situation): Decision | undefined {
  const isSame = resource.status?.references === resolution.hash;
  return isSame || unready.length > 0 ? undefined : { do: 'acceptReadOnly' };
}

/** The provider would receive the text of the reference. */
export function refuseUnresolved({ resolution, earlierOutputs }: Situation): Decision | undefined {
  if (resolution.unresolved.length === 0) return undefined;
  const message = explainUnresolved(resolution.unresolved, earlierOutputs);
  return { do: 'explain', reason: Reason.UnknownOutput, message, stalled: true };
}

/** Accepts the content, and ends the requests to an event. From then on, observations decide about the state. */
export function acceptReadOnly({ resource, content, requeue }: Situation): Decision | undefined {
  const { status } = resource;
  const isAsked = requeue !== undefined || isReplacementDue(resource);
  const isAccepted = status?.management === 'Observed' && status.content === content && !isAsked;
  return isAccepted && readOnlyReasons.includes(status.reason)
    ? undefined
    : { do: 'acceptReadOnly' };
}

/** Removes the record only: Fairlead did not create the object. */
export function abandonReadOnly({ resource }: Situation): Decision | undefined {
  if (!isReadOnly(resource.spec)) return undefined;
  return resource.status?.event === undefined
    ? { do: 'release' }
    : { do: 'abandon', why: 'OrphanPolicy' };
}
