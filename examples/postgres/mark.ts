// The mark on everything this provider makes: a comment in PostgreSQL that says which resource of which organization and project it
// is. What carries no mark, or another one, is never changed and never dropped, except that the first update of an import marks what
// carries none. It is more than `owner` of the call: a database has a role of its own beside the role of a resource with the same name, and
// whose organization a mark is of must show, also where one organization's name begins another's.
import { fail } from 'fairlead/provider';

/** `fairlead:<organization>:<provider>/<resource>/<name> <project>` */
export type Mark = string;

export interface Marked {
  readonly organization: string;
  readonly project: string;
  readonly provider: string;
  readonly resource: string;
  readonly name: string;
}

/** Whose a database or role is to be. */
export interface Claim {
  readonly mark: Mark;
  /** Whether it is taken over if it carries no mark: a person has imported it. */
  readonly isImported: boolean;
}

/** Who looks at a database or role. */
export interface Seeker {
  readonly mark: Mark;
  /** Whether a person has named the object: it may carry no mark, or that of another resource of the organization. */
  readonly isImport: boolean;
  /** Whether nothing is declared yet: what is observed is to become the config. */
  readonly isPreview: boolean;
}

export function markOf({ project, name, ...type }: Marked): Mark {
  return `${typeMarkOf(type)}${name} ${encodeURIComponent(project)}`;
}

/** @returns what the marks of all resources of a type begin with */
export function typeMarkOf({
  organization,
  provider,
  resource,
}: Omit<Marked, 'project' | 'name'>): string {
  return `${prefixOf(organization)}${provider}/${resource}/`;
}

/** @returns the mark without the project: names are unique in an organization, and passwords are derived from this */
export function identityIn(mark: Mark): string {
  const [identity = mark] = mark.split(' ');
  return identity;
}

/** @returns whether an object belongs to the organization of `mark` */
export function sameOrganization(mark: Mark, other: string): boolean {
  const end = mark.indexOf(':', start.length);
  return other.startsWith(mark.slice(0, end + 1));
}

/** @returns whether a comment is a mark, of whatever organization */
export function isMark(comment: string): boolean {
  return comment.startsWith(start);
}

/** @returns whether a comment is a mark of another organization than that of `mark` */
export function isOfOthers(mark: Mark, comment: string | null): boolean {
  return comment !== null && isMark(comment) && !sameOrganization(mark, comment);
}

export function foreign(what: 'role' | 'database', which: string): Error {
  return fail('not_ours', `A ${what} named ${which} exists and does not belong to this resource`);
}

const start = 'fairlead:';

function prefixOf(organization: string): string {
  // Encoded, so that no organization's name can end another's.
  return `${start}${encodeURIComponent(organization)}:`;
}
