// The version of its type that the config of a Resource has. Pure.
import type { Resource } from '../../crds/resource.ts';
import { firstTypeVersion } from '../../domain/type-version.ts';
import { declaredHashOf } from './content.ts';

/**
 * @returns the newest version that anything stored of a resource has: its config, that of its last success, or its outputs. The code of
 * a provider from before that version may not know it
 */
export function newestStoredVersion(resource: Pick<Resource, 'spec' | 'status'>): number {
  const { appliedConfig, appliedTypeVersion, outputs, outputsTypeVersion } = resource.status ?? {};
  return Math.max(
    storedTypeVersion(resource) ?? firstTypeVersion,
    appliedConfig === undefined ? firstTypeVersion : (appliedTypeVersion ?? firstTypeVersion),
    outputs === undefined ? firstTypeVersion : (outputsTypeVersion ?? firstTypeVersion),
  );
}

/** @returns undefined when nothing declares it: then it is the version that serves when the event is claimed */
export function storedTypeVersion({ spec, status }: Pick<Resource, 'spec' | 'status'>) {
  if (spec.typeVersion !== undefined) return spec.typeVersion;
  const event = status?.event;
  if (event?.declared !== declaredHashOf(spec)) return undefined;
  return event.typeVersion ?? firstTypeVersion;
}
