// The mark on everything this provider makes: a comment in PostgreSQL that says which resource of which organization it is.
// What carries no mark, or another one, is never changed and never dropped.

/** `fairlead:<organization>:<provider>/<resource>/<name>` */
export type Mark = string;

export interface Marked {
  readonly organization: string;
  readonly provider: string;
  readonly resource: string;
  readonly name: string;
}

export function markOf({ organization, provider, resource, name }: Marked): Mark {
  return `${prefixOf(organization)}${provider}/${resource}/${name}`;
}

/** @returns whether an object belongs to the organization of `mark` */
export function sameOrganization(mark: Mark, other: string): boolean {
  const end = mark.indexOf(':', 'fairlead:'.length);
  return other.startsWith(mark.slice(0, end + 1));
}

function prefixOf(organization: string): string {
  // Encoded, so that no organization's name can end another's.
  return `fairlead:${encodeURIComponent(organization)}:`;
}
