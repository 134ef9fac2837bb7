// Finds the resource that a dependency on a missing one most likely means: one part of its name is misspelt.
import type { Resource } from '../../../crds/resource.ts';
import { slashed } from '../../../domain/identity.ts';
import type { Dependency } from '../../../domain/lifecycle.ts';
import { nearest } from '../../../lib/nearest.ts';

/** A comparison costs the product of both lengths. */
const maxCompared = 5_000;

type Part = keyof Pick<Dependency, 'provider' | 'resource' | 'name'>;
const parts: readonly Part[] = ['name', 'resource', 'provider'];

/** @param others in the project of the resource that has the dependency */
export function meantBy(
  dependency: Dependency,
  others: Iterable<Pick<Resource, 'spec'>>,
): string | undefined {
  /** Resources that differ in one part, by that part and its text. */
  const differing = new Map<Part, Map<string, string>>(parts.map((part) => [part, new Map()]));
  let compared = 0;
  for (const { spec } of others) {
    const [different, ...more] = parts.filter((part) => spec[part] !== dependency[part]);
    if (different === undefined || more.length > 0) continue;
    differing.get(different)?.set(spec[different], slashed(spec));
    compared += 1;
    if (compared === maxCompared) break;
  }
  for (const [part, found] of differing) {
    const name = nearest(dependency[part], found.keys());
    if (name !== undefined) return found.get(name);
  }
  return undefined;
}
