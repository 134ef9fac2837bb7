// Reads the databases that exist, and whose they are.
import { gone } from 'fairlead/provider';
import { isListed, itemOf, pageSize } from './listing.ts';
import { foreign, isMark, isOfOthers, type Mark, type Seeker, sameOrganization } from './mark.ts';
import type { Session } from './server.ts';

interface FoundDatabase {
  readonly name: string;
  /** The comment on it. */
  readonly mark: string | null;
  readonly owner: string;
  readonly ownerMark: string | null;
  /** -1: no limit. */
  readonly connectionLimit: number;
  /** Whether there is a role of the same name that may connect. */
  readonly hasLogin: boolean;
  /** A template, one that nobody may connect to, or the one of administrators. */
  readonly isSystem: boolean;
}

const select = `
  SELECT datname AS name, shobj_description(oid, 'pg_database') AS mark,
         pg_get_userbyid(datdba) AS owner, shobj_description(datdba, 'pg_authid') AS "ownerMark",
         datconnlimit AS "connectionLimit",
         EXISTS (SELECT FROM pg_roles WHERE rolname = datname AND rolcanlogin) AS "hasLogin",
         datistemplate OR NOT datallowconn OR datname IN ('postgres', current_database())
           AS "isSystem"
    FROM pg_database`;

/** @returns undefined only when PostgreSQL answered that there is none */
export async function findDatabase(
  session: Session,
  database: string,
): Promise<FoundDatabase | undefined> {
  const [found] = await session.query<FoundDatabase>(`${select} WHERE datname = $1`, [database]);
  return found;
}

/** @throws for a database of others */
export async function observeDatabase(
  session: Session,
  database: string,
  { mark, isImport, isPreview }: Seeker,
) {
  const found = await findDatabase(session, database);
  if (found === undefined) return gone();
  if (!(isOurs(found, mark) || (isImport && isVisible(found, mark)))) {
    throw foreign('database', database);
  }
  const { host, port } = session;
  const login = found.hasLogin ? { user: database } : {};
  const config = isPreview ? declarable(found, mark) : configOf(found);
  return { config, outputs: { host, port, database, ...login } };
}

/** @param own what the marks of the type begin with @param cursor the last name of the page before */
export async function listDatabases(session: Session, own: string, cursor: string | null) {
  const page = await session.query<FoundDatabase>(
    `${select} WHERE datname > $1 ORDER BY datname LIMIT ${pageSize}`,
    [cursor ?? ''],
  );
  const items = page
    .filter((found) => isVisible(found, own) && isListed(found, own))
    .map((found) => itemOf(found, own, configOf(found)));
  return { items, cursor: page.length < pageSize ? undefined : page.at(-1)?.name };
}

function configOf({ name, owner, connectionLimit }: FoundDatabase) {
  return { name, owner, connectionLimit };
}

/** @returns what a resource can declare: PostgreSQL has databases without a limit, and of owners that no resource may name */
function declarable(found: FoundDatabase, own: Mark) {
  const { name, owner, ownerMark, connectionLimit } = found;
  const mayOwn = owner === name || (ownerMark !== null && sameOrganization(own, ownerMark));
  return {
    name,
    ...(mayOwn ? { owner } : {}),
    ...(connectionLimit > 0 ? { connectionLimit } : {}),
  };
}

export function isOurs({ mark, ownerMark }: FoundDatabase, own: Mark): boolean {
  return (mark ?? ownerMark) === own;
}

/** Returns whether it carries no mark and may get one. */
export function isAdoptable(found: FoundDatabase, own: Mark): boolean {
  return isVisible(found, own) && (found.mark === null || !isMark(found.mark));
}

/** Returns whether the organization may look at it. */
function isVisible({ mark, ownerMark, isSystem }: FoundDatabase, own: Mark): boolean {
  return !isSystem && !isOfOthers(own, mark) && !isOfOthers(own, ownerMark);
}
