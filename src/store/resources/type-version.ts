// The version of its type that the config of a Resource has. Pure.
import type { Resource } from '../../crds/resource.ts';
import { contentHash } from '../../domain/lifecycle.ts';
import { firstTypeVersion } from '../../domain/type-version.ts';
import { contentHashOf, declaredHashOf, specContent } from './content.ts';

/** @returns undefined when nothing declares it: then it is the version that serves when the event is claimed */
export function storedTypeVersion({ spec, status }: Pick<Resource, 'spec' | 'status'>) {
  if (spec.typeVersion !== undefined) return spec.typeVersion;
  const event = status?.event;
  if (event === undefined || !isOfClaim(spec, event)) return undefined;
  return event.typeVersion ?? firstTypeVersion;
}

type StatusEvent = NonNullable<NonNullable<Resource['status']>['event']>;

/** Returns whether a spec declares what an event was claimed for; the retry counter does not count. */
function isOfClaim(spec: Resource['spec'], { declared, content }: StatusEvent): boolean {
  if (declared !== undefined) return declared === declaredHashOf(spec);
  // Claimed by a release without `declared`. Between two claims, the counter rises by one.
  const { retry = 0 } = spec;
  if (content === contentHashOf(spec)) return true;
  return retry > 0 && content === contentHash({ ...specContent(spec), retry: retry - 1 });
}
