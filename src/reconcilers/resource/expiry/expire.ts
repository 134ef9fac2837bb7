// What happens at the expiry of a resource, and an hour before.
import { Reason } from '../../../crds/conditions.ts';
import { again, keyFor, type Outcome, settled, waitUntil } from '../../../kube/api.ts';
import type { Recorder } from '../../../kube/recorder.ts';
import type { Clock } from '../../../lib/clock.ts';
import { kinds } from '../../../store/kinds.ts';
import type { ClaimStore } from '../../../store/resources/claims.ts';
import type { Observed } from '../observe.ts';
import { expiryAnnounced } from '../status/status.ts';
import type { ExpiryPace } from './expiry.ts';

export interface ExpireDeps {
  readonly claims: Pick<ClaimStore, 'writeStatus' | 'expire'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly expiryPace: ExpiryPace;
  readonly clock: Clock;
}

export async function announceExpiry({ resource }: Observed, deps: ExpireDeps): Promise<Outcome> {
  const next = expiryAnnounced(resource);
  if (next === undefined) return settled;
  await deps.claims.writeStatus(resource, next);
  const message = `Expires at ${resource.spec.expiresAt}, and is deleted then`;
  const subject = { kind: kinds.resource, metadata: resource.metadata };
  deps.recorder.record(subject, { type: 'Normal', reason: Reason.Expiring, message });
  return again;
}

/** The version that was decided on: it may be protected, or expire later, since. */
export async function expire(
  { resource }: Pick<Observed, 'resource'>,
  deps: ExpireDeps,
): Promise<Outcome> {
  const waitMs = deps.expiryPace.enter(keyFor(resource.metadata));
  if (waitMs > 0) return waitUntil(new Date(deps.clock.now().getTime() + waitMs));
  await deps.claims.expire(resource);
  return settled;
}
