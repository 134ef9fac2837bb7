// Decides about a change of `adopt`, which identifies the object of an import. It is content until the resource has an object. Pure.
import type { Resource, ResourceSpec } from '../../../crds/resource.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { slashed } from '../../../domain/identity.ts';
import { canonicalJson, type JsonObject } from '../../../lib/json.ts';
import type { WantedResource } from '../../records.ts';
import { hasHadObject } from '../state.ts';

interface StoredSpec {
  readonly spec: ResourceSpec;
  readonly status?: Resource['status'] | undefined;
}

/** @returns whether the next event observes an object, and creates none */
export function isPendingImport({ spec, status }: StoredSpec): boolean {
  return spec.adopt !== undefined && !hasHadObject(status ?? {});
}

/** @returns what the spec of an apply has; null clears it only as long as nothing was found */
export function wantedAdopt(
  stored: StoredSpec | undefined,
  { adopt }: Pick<WantedResource, 'adopt'>,
): JsonObject | undefined {
  const isKept = adopt === undefined || (adopt === null && hasHadObject(stored?.status ?? {}));
  if (isKept) return stored?.spec.adopt as JsonObject | undefined;
  return adopt ?? undefined;
}

/** @returns the refusal to take another object for one that the resource has; undefined when there is none */
export function anotherAdopt(
  stored: StoredSpec,
  { adopt, tuple }: WantedResource,
): FairleadError | undefined {
  if (adopt === undefined || adopt === null || !hasHadObject(stored.status ?? {})) return undefined;
  const before = stored.spec.adopt as JsonObject | undefined;
  if (before !== undefined && canonicalJson(before) === canonicalJson(adopt)) return undefined;
  const has = before === undefined ? 'has an object' : 'was imported from another object';
  const message = `Resource ${slashed(tuple)} ${has} already, so adopt cannot change; apply it without adopt, or import the object under another name`;
  return new FairleadError('resource_committed', message);
}
