// Who changed something: the subject of a token, and the name that the token shows for it. The name is text of an identity
// provider that its user may choose: it is cleaned and bounded, shown beside its subject, and grants nothing.
import { sha256Hex } from './identity.ts';

export interface Actor {
  readonly subject: string;
  /** Undefined when the token has none. */
  readonly name: string | undefined;
}

const maxNameLength = 256;
/** Controls, breaks of lines, and marks of direction, which show the text around them in another order. Joiners are part of names. */
const invisible =
  /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/gu;

/** @returns a name that fits into a line; undefined when nothing of it remains, and when it is too long to be a name */
export function displayName(text: string): string | undefined {
  const name = text.replace(invisible, ' ').replace(/\s+/gu, ' ').trim();
  return name === '' || name.length > maxNameLength || !name.isWellFormed() ? undefined : name;
}

/**
 * @returns the text that is stored beside the subject, `<hash of both> <name>`; undefined without a name. A change of one of the
 * two, as with `kubectl annotate`, hides the name.
 */
export function storedName({ subject, name }: Actor): string | undefined {
  return name === undefined || name === subject ? undefined : `${actorHash(subject, name)} ${name}`;
}

/** @param stored what `storedName` returned for a subject @returns the name; undefined when it is not that of the subject */
export function shownName(
  subject: string | null | undefined,
  stored: string | undefined,
): string | undefined {
  if (typeof subject !== 'string' || stored === undefined) return undefined;
  const [hash = '', ...words] = stored.split(' ');
  const name = words.join(' ');
  return hash === actorHash(subject, name) ? displayName(name) : undefined;
}

function actorHash(subject: string, name: string): string {
  return sha256Hex(JSON.stringify([subject, name])).slice(0, 16);
}
