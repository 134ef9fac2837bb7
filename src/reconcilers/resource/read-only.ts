// Pure. Rules about resources whose objects are only observed: they get no event. What is observed is recorded beside these passes.
import type { Resource } from '../../crds/resource.ts';
import { isReplacementDue } from '../../store/resources/state.ts';
import { readOnlyReasons } from '../observation/subject.ts';
import type { Decision, Situation } from './situation.ts';

export function isReadOnly({ spec }: Pick<Resource, 'spec'>): boolean {
  return spec.management === 'Observed';
}

/** Returns whether the status describes an object that was only observed, and is managed from now on. */
export function isTakenOver({ spec, status }: Pick<Resource, 'spec' | 'status'>): boolean {
  return status?.management === 'Observed' && !isReadOnly({ spec });
}

/** Accepts the content, and ends what was asked of an event. From then on, observations decide about the state. */
export function acceptReadOnly({ resource, content, requeue }: Situation): Decision | undefined {
  const { status } = resource;
  const isAsked = requeue !== undefined || isReplacementDue(resource);
  const isAccepted = status?.management === 'Observed' && status.content === content && !isAsked;
  return isAccepted && readOnlyReasons.includes(status.reason)
    ? undefined
    : { do: 'acceptReadOnly' };
}

/** Its record goes; what it stands for was never Fairlead's to delete. */
export function abandonReadOnly({ resource }: Situation): Decision | undefined {
  if (!isReadOnly(resource)) return undefined;
  return resource.status?.event === undefined
    ? { do: 'release' }
    : { do: 'abandon', why: 'OrphanPolicy' };
}
