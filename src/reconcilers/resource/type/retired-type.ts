// Pure. Rules about types whose definition changed with the version of their provider.
import { Reason } from '../../../crds/conditions.ts';
import { retiredInWords, type ServingVersion } from '../../../store/providers/type-in-force.ts';
import type { Decision, Situation } from '../situation.ts';

/** The definition of the type wakes it: a version that has the type may take over. */
export function waitForRetiredType({ resource, typeRetired }: Situation): Decision | undefined {
  if (typeRetired === undefined) return undefined;
  const isLeaving = resource.metadata.deletionTimestamp !== undefined;
  const what = isLeaving ? 'The deletion' : 'The resource';
  const message = `${retiredInWords(resource.spec, typeRetired)}. ${what} waits for a version that has the type`;
  return { do: 'explain', reason: Reason.TypeRetired, message };
}

/** @returns a sentence about whose schema decides; nothing for a provider that Fairlead does not run */
export function schemaInWords(servedBy: ServingVersion | undefined): string {
  if (servedBy?.since === undefined) return '';
  const { version, since } = servedBy;
  return `. The schema is that of version ${version} of the provider, which has served since ${since}`;
}
