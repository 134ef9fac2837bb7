// SQL with safe holes. DDL takes no parameters, so values are quoted here: text as a literal, names through `name()`.
import pg from 'pg';

/** A database, role or other identifier. */
export class Name {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Names that need no quotes, and leave room in the 63 bytes that PostgreSQL keeps. */
export const identifierPattern = /^[a-z_][a-z0-9_]{0,39}$/;

export function name(text: string): Name {
  return new Name(text);
}

/** @throws TypeError for a number that is not an integer, which only an unchecked config can contain */
export function sql(
  parts: TemplateStringsArray,
  ...holes: readonly (Name | string | number)[]
): string {
  return parts.reduce((text, part, index) => `${text}${quoted(holes[index - 1] ?? '')}${part}`);
}

function quoted(hole: Name | string | number): string {
  if (hole instanceof Name) return pg.escapeIdentifier(hole.text);
  if (typeof hole === 'string') return pg.escapeLiteral(hole);
  if (Number.isSafeInteger(hole)) return String(hole);
  throw new TypeError('Only integers can be part of a statement');
}

/** The five-character code PostgreSQL gives its errors; undefined when the error is none of PostgreSQL's. */
export function sqlState(thrown: unknown): string | undefined {
  return thrown instanceof pg.DatabaseError ? thrown.code : undefined;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const SqlState = {
  duplicateDatabase: '42P04',
  reservedName: '42939',
  dependentObjects: '2BP01',
} as const;
