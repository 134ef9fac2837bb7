// Pure. Rules about types whose definition changed with the version of their provider.
import { Reason } from '../../../crds/conditions.ts';
import type { Resource } from '../../../crds/resource.ts';
import type { Retirement, ServingVersion } from '../../../store/providers/type-in-force.ts';
import type { Decision, Situation } from '../situation.ts';

/** The definition of the type wakes it: a version that has the type may take over. */
export function waitForRetiredType({ resource, typeRetired }: Situation): Decision | undefined {
  if (typeRetired === undefined) return undefined;
  const message = retiredInWords(resource.spec, typeRetired);
  return { do: 'explain', reason: Reason.TypeRetired, message };
}

export function retiredInWords(
  { provider, resource }: Pick<Resource['spec'], 'provider' | 'resource'>,
  { version, at }: Retirement,
): string {
  return `Type ${provider}/${resource} is retired: version ${version} of the provider, which has served since ${at}, lacks it`;
}

/** @returns a sentence about whose schema decides; nothing for a provider that Fairlead does not run */
export function schemaInWords(servedBy: ServingVersion | undefined): string {
  if (servedBy?.since === undefined) return '';
  const { version, since } = servedBy;
  return `. The schema is that of version ${version} of the provider, which has served since ${since}`;
}
