// Groups resources that are not ready by their deepest cause. Pure, and in slices: there may be tens of thousands.
import { setImmediate as breathe } from 'node:timers/promises';
import type { Resource } from '../crds/resource.ts';
import { pattern } from '../domain/failures/fingerprint.ts';
import { keyOf, slashed } from '../domain/identity.ts';
import { causesBelow, lastOf, resourceLink } from './cause.ts';
import { driftOf } from './drift.ts';
import type { ChainPath, DeliveryFacts, Link, Step } from './facts.ts';

export interface Group {
  readonly names: string[];
  count: number;
  /** From the resource that is nearest to the cause. */
  readonly path: ChainPath;
}

interface GroupDeps {
  readonly pathOf: (resource: Resource) => ChainPath;
  readonly deliveryOf: (resource: Resource) => DeliveryFacts;
  readonly maxAttempts: (resource: Resource) => number;
  readonly now: Date;
}

/** Names shown of each group. */
const maxNames = 20;
const atATime = 100;

/** @returns the groups, the largest first */
export async function groupsOf(
  resources: Iterable<Resource>,
  deps: GroupDeps,
): Promise<readonly Group[]> {
  const groups = new Map<string, Group>();
  let done = 0;
  for (const resource of resources) {
    const path = deps.pathOf(resource);
    const last = path[path.length - 1] ?? path[0];
    const key = keyOfDrift(last) ?? keyOfCause(last, deps);
    const group = groups.get(key) ?? { names: [], count: 0, path: [last] };
    groups.set(key, group);
    group.count += 1;
    if (group.names.length < maxNames) group.names.push(slashed(resource.spec));
    done += 1;
    if (done % atATime === 0) await breathe();
  }
  return [...groups.values()].sort((left, right) => right.count - left.count);
}

/** Objects that drifted have no cause in common, as far as is known: they are shown by provider and kind. */
function keyOfDrift({ resource }: Step): string | undefined {
  const known = driftOf(resource);
  return known && JSON.stringify(['drift', resource.spec.provider, known.reason]);
}

/** A crash and the connections that were lost with it have other codes, and so other keys. */
function keyOfCause(step: Step, { deliveryOf, maxAttempts, now }: GroupDeps): string {
  const { resource } = step;
  const read = { delivery: deliveryOf(resource), maxAttempts: maxAttempts(resource) };
  const nothingRead = { provider: undefined, confined: true, ...read } as const;
  const last = lastOf(step, nothingRead, now);
  const cause: Link = causesBelow(last, nothingRead)[0] ?? resourceLink(step, last.present, null);
  const { kind, ref, reason, message } = cause;
  if (kind !== 'provider') return JSON.stringify([kind, ref]);
  const names = [slashed(resource.spec), keyOf(resource.spec), resource.spec.name];
  return JSON.stringify([kind, ref, reason, pattern(message ?? '', names).toLowerCase()]);
}
