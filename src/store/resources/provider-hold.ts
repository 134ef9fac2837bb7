// Finds whether a provider requested a wait of all its events, by the answers that resources record. Pure.
import type { Resource } from '../../crds/resource.ts';

export interface ProviderHold {
  readonly until: string;
  /** The resource whose event was answered so. */
  readonly asked: Resource;
}

/** @returns the hold of a resource that has not passed; undefined when its answer concerns no other event */
export function holdIn(resource: Resource, now: Date): ProviderHold | undefined {
  const { hold, nextAttemptAt: until } = resource.status?.event ?? {};
  const isPast = until === undefined || Date.parse(until) <= now.getTime();
  return hold?.scope !== 'Provider' || isPast ? undefined : { until, asked: resource };
}

/** @returns the one that ends later */
export function laterHold(
  one: ProviderHold | undefined,
  other: ProviderHold | undefined,
): ProviderHold | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return other.until > one.until ? other : one;
}

/** @returns the hold of a provider that ends last */
export function providerHold(
  resources: Iterable<Resource>,
  provider: string,
  now: Date,
): ProviderHold | undefined {
  let last: ProviderHold | undefined;
  for (const resource of resources) {
    if (resource.spec.provider !== provider) continue;
    last = laterHold(last, holdIn(resource, now));
  }
  return last;
}
