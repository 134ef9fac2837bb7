// Makes the ETag of a resource from the version of its stored object.
import { createHash } from 'node:crypto';

const characters = 22;

/** @returns a strong entity tag, in quotes; it does not show the version itself */
export function etagOf(revision: string): string {
  const hash = createHash('sha256').update(revision).digest('base64url').slice(0, characters);
  return `"${hash}"`;
}

/** @returns the header of a representation; none for a resource that is not stored */
export function etagHeader({
  revision,
}: {
  readonly revision: string | undefined;
}): Record<string, string> {
  return revision === undefined ? {} : { ETag: etagOf(revision) };
}
