// Finds what holds up events that are due: a wait that their provider requested, and how many it gets at a time. Only the controller knows
// which of them are being delivered, so nothing is claimed about that. Pure.
import { findCondition } from '../crds/conditions.ts';
import type { Resource } from '../crds/resource.ts';
import { holdIn, laterHold, type ProviderHold } from '../store/resources/provider-hold.ts';
import { resourceState, underWay } from '../store/resources/state.ts';

/** The events of an organization that are under way. */
export interface DeliveryPace {
  /** By provider. */
  readonly holds: ReadonlyMap<string, ProviderHold>;
  /** How many are due, by `provider` and by `provider/type`. */
  readonly due: ReadonlyMap<string, number>;
}

export function paceIn(resources: Iterable<Resource>, now: Date): DeliveryPace {
  const holds = new Map<string, ProviderHold>();
  const due = new Map<string, number>();
  for (const resource of resources) {
    const { provider, resource: type } = resource.spec;
    const event = underWay(resource, resourceState(resource));
    if (event === undefined) continue;
    const hold = laterHold(holds.get(provider), holdIn(resource, now));
    if (hold !== undefined) holds.set(provider, hold);
    const isDue = Date.parse(event.nextAttemptAt ?? event.startedAt) <= now.getTime();
    const counted = isDue ? [provider, `${provider}/${type}`] : [];
    for (const name of counted) due.set(name, (due.get(name) ?? 0) + 1);
  }
  return { holds, due };
}

interface PaceLimits {
  /** Events at a time, of the type and of the provider; undefined without a limit. */
  readonly type: number | undefined;
  readonly provider: number | undefined;
}

/**
 * @param confined the message of a resource of another project is not for everybody
 * @returns a clause about an event that is due; undefined when nothing is known to hold it up
 */
export function heldUp(
  { spec }: Resource,
  { holds, due }: DeliveryPace,
  { limits, confined }: { readonly limits: PaceLimits; readonly confined: boolean },
): string | undefined {
  const { provider } = spec;
  const hold = holds.get(provider);
  if (hold !== undefined) return `because ${asked(hold, confined)}`;
  const type = `${provider}/${spec.resource}`;
  const waits = (limit: number | undefined, of: string) =>
    limit !== undefined && (due.get(of) ?? 0) > limit;
  const turn = (limit: number | undefined, of: string) =>
    `and is under way or waits for one of ${limit} deliveries at a time of ${of}`;
  if (waits(limits.type, type)) return turn(limits.type, `type ${type}`);
  return waits(limits.provider, provider)
    ? turn(limits.provider, `provider ${provider}`)
    : undefined;
}

function asked({ until, asked: { status } }: ProviderHold, confined: boolean): string {
  const message = findCondition(status?.conditions, 'Ready')?.message ?? '';
  const told = /The provider asked to wait .*/s.exec(message)?.[0];
  if (confined || told === undefined) {
    return `the provider asked to wait with all events until ${until}`;
  }
  return told.replace(/^The/, 'the');
}
