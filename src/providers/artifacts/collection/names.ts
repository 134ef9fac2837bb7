// The names of marks and of artifacts in the trash: `<hex>.<seconds>`. The time is in the name, so that a list has it.
import { type Digest, isDigest } from '../../../domain/providers/artifact.ts';
import type { AgedArtifact } from './plan.ts';

export const stateName = 'collection.json';

/** Folders, and prefixes of keys. */
export const places = {
  artifacts: 'sha256',
  marks: 'unreferenced',
  trash: 'trash',
  links: 'links',
  claims: 'installations',
} as const;

export function entryName({ digest, seconds }: AgedArtifact): string {
  return `${hexOf(digest)}.${seconds}`;
}

/** @returns undefined for a name that is not Fairlead's */
export function namedEntry(name: string): AgedArtifact | undefined {
  const [, hex = '', seconds = ''] = /^([0-9a-f]{64})\.(\d{1,15})$/.exec(name) ?? [];
  const digest = digestOf(hex);
  return digest === undefined ? undefined : { digest, seconds: Number(seconds) };
}

export function digestOf(hex: string): Digest | undefined {
  const digest = `sha256:${hex}`;
  return isDigest(digest) ? digest : undefined;
}

export function hexOf(digest: Digest): string {
  return digest.slice('sha256:'.length);
}
