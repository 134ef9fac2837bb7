// What `list` shows of a database or role that exists.
import { identityIn, isMark } from './mark.ts';
import { identifierPattern } from './sql.ts';

export const pageSize = 500;

interface Found {
  readonly name: string;
  readonly mark: string | null;
}

/** Returns whether a resource of the type could have it: the role that belongs to a database carries the mark of the database. */
export function isListed({ name, mark }: Found, own: string): boolean {
  const isOfType = mark === null || !isMark(mark) || mark.startsWith(own);
  return isOfType && identifierPattern.test(name);
}

export function itemOf<Config>({ name, mark }: Found, own: string, config: Config) {
  return { adopt: { name }, config, ...nameFor({ name, mark }, own) };
}

/** That of the resource which has it, or had it. Names of resources neither begin nor end with an underscore. */
function nameFor({ name, mark }: Found, own: string): { readonly name?: string } {
  if (mark?.startsWith(own) === true) return { name: identityIn(mark).slice(own.length) };
  const proposed = name.replace(/^_+|_+$/g, '');
  return proposed === '' ? {} : { name: proposed };
}
