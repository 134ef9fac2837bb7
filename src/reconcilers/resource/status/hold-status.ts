// The status of a resource whose provider requested a wait. Pure.

import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import { Reason } from '../../../crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../crds/resource.ts';
import { operationMessage } from './event-messages.ts';
import { changed, scheduled } from './status.ts';

/** @param error of the answer; masked */
export function held(
  resource: Resource,
  { event, error, due }: { event: ClaimedEvent; error: string; due: Date },
  now: Date,
): ResourceStatus {
  const { progress: _reported, ...rest } = event;
  const all = event.hold?.scope === 'Provider' ? ' with all events' : '';
  const asked = `The provider asked to wait${all} until ${due.toISOString()}: ${error}`;
  return changed(
    resource,
    {
      state: 'processing',
      reason: Reason.RateLimited,
      message: operationMessage(resource, event, asked),
      fields: { event: { ...rest, ...scheduled(event, due) } },
    },
    now,
  );
}
