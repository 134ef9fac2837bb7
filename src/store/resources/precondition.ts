// Checks the precondition of a write against the version of a Resource on which the write is decided.
import type { Resource } from '../../crds/resource.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Precondition } from '../interfaces.ts';

/** @returns an opaque text that changes with every write of the object; undefined for an object that is not stored */
export function revisionOf({ metadata }: Pick<Resource, 'metadata'>): string | undefined {
  const { uid = '', resourceVersion } = metadata;
  return resourceVersion === undefined ? undefined : `${uid}/${resourceVersion}`;
}

/**
 * @param existing the stored resource, whose version the write carries
 * @throws FairleadError `precondition_failed`
 */
export function requirePermitted(
  precondition: Precondition | undefined,
  existing: Pick<Resource, 'metadata'> | undefined,
  name: string,
): void {
  if (precondition === undefined) return;
  if (precondition(existing === undefined ? undefined : revisionOf(existing))) return;
  throw preconditionFailed(name, existing !== undefined);
}

function preconditionFailed(name: string, exists: boolean): FairleadError {
  const message = exists
    ? `Resource ${name} is not in the version that the request requires; it was changed since then`
    : `Resource ${name} does not exist, and the request requires a version of it`;
  return new FairleadError('precondition_failed', message);
}
