// Finds the resource that the name of a missing one most likely means: one part of it is misspelt.
import { nearest } from '../lib/nearest.ts';
import { type ResourceTuple, slashed } from './identity.ts';

/** A comparison costs the product of both lengths. */
const maxCompared = 5_000;

type Part = keyof ResourceTuple;
const parts: readonly Part[] = ['name', 'resource', 'provider'];

/** @returns `provider/resource/name` of the one that is meant; undefined when none is near */
export function meantBy(
  missing: ResourceTuple,
  others: Iterable<ResourceTuple>,
): string | undefined {
  /** Resources that differ in one part, by that part and its text. */
  const differing = new Map<Part, Map<string, string>>(parts.map((part) => [part, new Map()]));
  let compared = 0;
  for (const other of others) {
    const [different, ...more] = parts.filter((part) => other[part] !== missing[part]);
    if (different === undefined || more.length > 0) continue;
    differing.get(different)?.set(other[different], slashed(other));
    compared += 1;
    if (compared === maxCompared) break;
  }
  for (const [part, found] of differing) {
    const name = nearest(missing[part], found.keys());
    if (name !== undefined) return found.get(name);
  }
  return undefined;
}
