// Finds what holds up events that are due: a wait that their provider requested, and how many it gets at a time. Only the controller knows
// which of them are being delivered, so nothing is claimed about that. Pure.
import { findCondition, Reason } from '../crds/conditions.ts';
import type { Resource } from '../crds/resource.ts';
import {
  type DeclaredLimits,
  type DeliveryLimitRow,
  deliveryLimits,
} from '../domain/providers/delivery-limits.ts';
import { holdIn, laterHold, type ProviderHold } from '../store/resources/provider-hold.ts';
import { resourceState, underWay } from '../store/resources/state.ts';

/** The events of an organization that are under way. */
export interface DeliveryPace {
  /** By provider. */
  readonly holds: ReadonlyMap<string, ProviderHold>;
  /** How many are due, by the events that share a limit. */
  readonly due: ReadonlyMap<string, number>;
}

export function paceIn(resources: Iterable<Resource>, now: Date): DeliveryPace {
  const holds = new Map<string, ProviderHold>();
  const due = new Map<string, number>();
  for (const resource of resources) {
    const { provider } = resource.spec;
    const event = underWay(resource, resourceState(resource));
    if (event === undefined) continue;
    const hold = laterHold(holds.get(provider), holdIn(resource, now));
    if (hold !== undefined) holds.set(provider, hold);
    const isDue = Date.parse(event.nextAttemptAt ?? event.startedAt) <= now.getTime();
    if (!isDue) continue;
    for (const group of groupsShared(resource)) due.set(group, (due.get(group) ?? 0) + 1);
  }
  return { holds, due };
}

const limits: readonly DeliveryLimitRow[] = Object.values(deliveryLimits);

function groupsShared(resource: Resource): readonly string[] {
  return limits.flatMap(({ groupOf }) => groupOf(dueEvent(resource)) ?? []);
}

function dueEvent({ spec, status }: Resource) {
  const isSuspect = status?.event?.crash !== undefined;
  return { provider: spec.provider, type: spec.resource, isSuspect };
}

/** Returns whether the settings of the provider do not work any more. */
export function waitsForSettings({ spec }: Resource, { holds }: DeliveryPace): boolean {
  return holds.get(spec.provider)?.asked.status?.reason === Reason.SettingsRefused;
}

/**
 * @param confined the message of a resource of another project is not for everybody
 * @returns a clause about an event that is due; undefined when nothing is known to hold it up
 */
export function heldUp(
  resource: Resource,
  { holds, due }: DeliveryPace,
  { limits: declared, confined }: { readonly limits: DeclaredLimits; readonly confined: boolean },
): string | undefined {
  const hold = holds.get(resource.spec.provider);
  if (hold !== undefined) return `because ${asked(hold, confined)}`;
  const event = dueEvent(resource);
  for (const { groupOf, atOnce, named } of limits) {
    const most = atOnce(declared) ?? Infinity;
    if ((due.get(groupOf(event) ?? '') ?? 0) > most) {
      return `and is under way or waits for one of ${most} deliveries at a time of ${named(event)}`;
    }
  }
  return undefined;
}

function asked({ until, asked: { status } }: ProviderHold, confined: boolean): string {
  const message = findCondition(status?.conditions, 'Ready')?.message ?? '';
  const told = /The (?:provider asked to wait|settings of the provider) .*/s.exec(message)?.[0];
  if (confined || told === undefined) {
    return `the provider asked to wait with all events until ${until}`;
  }
  return told.replace(/^The/, 'the');
}
