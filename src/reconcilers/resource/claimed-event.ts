// Rules about the event that a Resource has claimed. Pure; they serve its making and its deletion alike.
import { Reason } from '../../crds/conditions.ts';
import type { ClaimedEvent, Resource } from '../../crds/resource.ts';
import { type EventType, eventId } from '../../domain/event.ts';
import type { Decision, Situation } from './situation.ts';

export function recordWhatWasHeard({ resource, heard }: Situation): Decision | undefined {
  const event = resource.status?.event;
  if (event === undefined || heard === undefined) return undefined;
  return { do: 'record', event, heard };
}

export function giveUpEndlessOperation({ resource, now, policy }: Situation): Decision | undefined {
  const { event, reason } = resource.status ?? {};
  if (event === undefined || reason !== Reason.InProgress) return undefined;
  const end = new Date(event.startedAt).getTime() + policy.operationLimitMs;
  if (now.getTime() < end) return undefined;
  const failure = {
    code: 'OPERATION_TIMED_OUT',
    message: 'The provider did not finish within the limit for one operation',
    reason: Reason.OperationTimedOut,
  };
  return { do: 'fail', event, failure };
}

export function waitOutTheBackoff({ resource, now }: Situation): Decision | undefined {
  const due = resource.status?.event?.nextAttemptAt;
  if (due === undefined || new Date(due) <= now) return undefined;
  return { do: 'wait', until: new Date(due) };
}

export function sendTheClaimedEvent({ resource, endpoint }: Situation): Decision | undefined {
  const event = resource.status?.event;
  if (event === undefined || endpoint === undefined) return undefined;
  return { do: 'send', event, endpoint };
}

export function waitForProvider({ resource, endpoint }: Situation): Decision | undefined {
  if (endpoint !== undefined) return undefined;
  const message = `No provider ${resource.spec.provider} is ready to take events`;
  return { do: 'explain', reason: Reason.WaitingForProvider, message };
}

export function requeued(
  { nextAttemptAt: _due, context: _context, ...event }: ClaimedEvent,
  { requeue, now }: Situation,
): Decision | undefined {
  if (requeue === undefined) return undefined;
  const startedAt = now.toISOString();
  return { do: 'claim', event: { ...event, attempt: 1, startedAt, requeued: requeue } };
}

export function newEvent({ resource, content, now }: Situation, type: EventType): ClaimedEvent {
  const { uid = '', generation = 0 } = resource.metadata satisfies Resource['metadata'];
  return {
    id: eventId({ uid, generation, content }, type),
    type,
    generation,
    content,
    attempt: 1,
    startedAt: now.toISOString(),
  };
}

const mostListed = 20;

export function listed(names: readonly string[]): string {
  const more = names.length - mostListed;
  const shown = names.slice(0, mostListed).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
