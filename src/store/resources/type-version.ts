// The version of its type that the config of a Resource has. Pure.
import type { Resource } from '../../crds/resource.ts';
import { firstTypeVersion } from '../../domain/type-version.ts';
import { declaredHashOf } from './content.ts';

/** @returns undefined when nothing declares it: then it is the version that serves when the event is claimed */
export function storedTypeVersion({ spec, status }: Pick<Resource, 'spec' | 'status'>) {
  if (spec.typeVersion !== undefined) return spec.typeVersion;
  const event = status?.event;
  if (event?.declared !== declaredHashOf(spec)) return undefined;
  return event.typeVersion ?? firstTypeVersion;
}
