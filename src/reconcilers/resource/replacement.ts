// Pure. Rules about replacements: under one identity, the provider deletes what it created and creates it again. The write that records the
// success of the DELETE claims the CREATE, so that a crash repeats one of them. Where what it uses is replaced, too, that comes in between:
// users are deleted first and created last, and the resource is pending meanwhile, as a new one. No apply finds it settled.
import type { ClaimedEvent } from '../../crds/claimed-event.ts';
import { Reason } from '../../crds/conditions.ts';
import { isBetweenObjects, replacementDue } from '../../store/resources/state.ts';
import { answered } from './answered.ts';
import { firstOfNames, newDeletion, newEvent } from './claimed-event.ts';
import { explainDependencies } from './dependencies.ts';
import type { Decision, Situation } from './situation.ts';

/** Returns whether a replacement is due, or about to delete the old object. */
export function isReplacementUnderWay({ resource }: Pick<Situation, 'resource'>): boolean {
  return replacementDue(resource) !== undefined || isDeletingOld({ resource });
}

/** HTTP refuses it; with kubectl it waits. */
export function waitForUsersOfReplaced(situation: Situation): Decision | undefined {
  const { users } = situation;
  if (users.length === 0 || replacementDue(situation.resource) === undefined) return undefined;
  const message = `Its replacement waits: it is used by ${firstOfNames(users)}`;
  return { do: 'explain', reason: Reason.InUse, message };
}

export function claimReplacement(situation: Situation): Decision | undefined {
  const replacement = replacementDue(situation.resource);
  if (replacement === undefined) return undefined;
  return { do: 'claim', event: { ...newDeletion(situation), replacement } };
}

/** The old object is gone. One write forgets it and claims the CREATE, or has the resource wait for what it uses. */
export function createAnew(situation: Situation): Decision | undefined {
  const found = answered(situation, 'succeeded');
  const { replacement } = found?.event ?? {};
  if (found?.event.type !== 'DELETE' || replacement === undefined) return undefined;
  const waiting = explainDependencies(situation.unready, situation.projectName);
  if (waiting !== undefined) return { do: 'forgetOld', deleted: found.event, ...waiting };
  const created = withReplacement(newEvent(situation, 'CREATE'), replacement);
  return { do: 'createAnew', event: created, deleted: found.event };
}

/** @returns a CREATE; once the old object of a replacement is gone, every one makes the new one until one succeeds */
export function newCreation(situation: Situation): ClaimedEvent {
  const { status } = situation.resource;
  const isGone = status?.event?.type === 'CREATE' || isBetweenObjects(status ?? {});
  const replacement = isGone ? status?.event?.replacement : undefined;
  return withReplacement(newEvent(situation, 'CREATE'), replacement);
}

function withReplacement(event: ClaimedEvent, replacement: number | undefined): ClaimedEvent {
  return replacement === undefined ? event : { ...event, replacement };
}

function isDeletingOld({ resource: { status } }: Pick<Situation, 'resource'>): boolean {
  return (
    status?.state === 'processing' &&
    status.event?.type === 'DELETE' &&
    status.event.replacement !== undefined
  );
}
