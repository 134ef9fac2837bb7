// Finds the resource whose event ended the process of a provider: others that were under way lost their connection with it. Pure.
import type { Resource } from '../../../crds/resource.ts';
import { slashed } from '../../../domain/identity.ts';
import { knownFailure } from './failure.ts';

/** @returns undefined when no other event is known to have ended the process of the provider */
export function culpritBeside(
  { metadata, spec }: Resource,
  others: Iterable<Resource>,
  { maxAttempts, isVisible }: CulpritOptions,
): string | undefined {
  for (const other of others) {
    const isBeside = other.spec.provider === spec.provider && other.metadata.uid !== metadata.uid;
    if (!isBeside || !isVisible(other)) continue;
    if (knownFailure(other, maxAttempts(other))?.kind === 'crashed') return slashed(other.spec);
  }
  return undefined;
}

export interface CulpritOptions {
  readonly maxAttempts: (resource: Resource) => number;
  /** Returns whether the caller may see a resource. */
  readonly isVisible: (resource: Resource) => boolean;
}
