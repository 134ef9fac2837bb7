// The number of a delivery, which no other delivery of the resource was sent with, whoever sent it: a provider refuses what comes late by it.
import type { ClaimedEvent } from '../../../crds/claimed-event.ts';
import type { Resource } from '../../../crds/resource.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ClaimStore } from '../../../store/resources/claims.ts';
import { begun, saysItWaits } from '../status/status.ts';

interface NumberDeps {
  readonly claims: Pick<ClaimStore, 'isCurrent' | 'isUnsent' | 'writeStatus'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * A claim proves by its write that it was decided on the present version. One of an earlier leader is only cached, and may have been sent:
 * its number is raised first.
 * @returns `own` when the event can be sent; `raised` when that is for the next pass, and `stale` when it does not exist like this any more
 * @throws KubeError `conflict` when the resource changed meanwhile
 */
export async function ownNumber(
  resource: Resource,
  event: ClaimedEvent,
  { claims, clock }: NumberDeps,
): Promise<'own' | 'raised' | 'stale'> {
  if (!(await claims.isCurrent(resource))) return 'stale';
  if (claims.isUnsent(resource) && !saysItWaits(resource)) return 'own';
  await claims.writeStatus(resource, begun(resource, event, clock.now()));
  return 'raised';
}
