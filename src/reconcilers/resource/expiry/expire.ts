// The deletion of what has expired.
import { keyFor, type Outcome, settled, waitUntil } from '../../../kube/api.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ClaimStore } from '../../../store/resources/claims.ts';
import type { Observed } from '../observe.ts';
import type { ExpiryPace } from './expiry.ts';

export interface ExpireDeps {
  readonly claims: Pick<ClaimStore, 'expire'>;
  readonly expiryPace: ExpiryPace;
  readonly clock: Clock;
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
