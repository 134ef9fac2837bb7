// Finds the resource that the name of a missing one most likely means: one part of it is misspelt.
import { createBudget } from '../lib/budget.ts';
import { nearest } from '../lib/nearest.ts';
import { type ResourceTuple, slashed } from './identity.ts';

type TuplePart = keyof ResourceTuple;
const parts: readonly TuplePart[] = ['name', 'resource', 'provider'];

/** @returns `provider/resource/name` of the one that is meant; undefined when none is near */
export function meantBy(
  missing: ResourceTuple,
  others: Iterable<ResourceTuple>,
): string | undefined {
  /** Resources that differ in one part, by that part and its text. */
  const differing = new Map<TuplePart, Map<string, string>>(parts.map((part) => [part, new Map()]));
  const budget = createBudget();
  for (const other of others) {
    const [different, ...more] = parts.filter((part) => other[part] !== missing[part]);
    if (different === undefined || more.length > 0) continue;
    differing.get(different)?.set(other[different], slashed(other));
    if (!budget.spend(1)) break;
  }
  for (const [part, found] of differing) {
    const name = nearest(missing[part], found.keys(), budget);
    if (name !== undefined) return found.get(name);
  }
  return undefined;
}
