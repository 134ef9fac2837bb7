// Reads the roles that exist, and whose they are.
import { gone } from 'fairlead/provider';
import { isListed, itemOf, pageSize } from './listing.ts';
import { foreign, isMark, isOfOthers, type Mark, type Seeker } from './mark.ts';
import type { Session } from './server.ts';

interface FoundRole {
  readonly name: string;
  /** The comment on it. */
  readonly mark: string | null;
  readonly login: boolean;
  /** -1: no limit. */
  readonly connectionLimit: number;
  /** PostgreSQL's, ours, or one that may do more than use its objects: whoever sets its password could do the same. */
  readonly isSystem: boolean;
}

const select = `
  SELECT rolname AS name, shobj_description(oid, 'pg_authid') AS mark, rolcanlogin AS login,
         rolconnlimit AS "connectionLimit",
         rolname = session_user OR EXISTS (
           SELECT FROM pg_roles AS power
            WHERE (power.rolsuper OR power.rolcreaterole OR power.rolcreatedb
                   OR power.rolreplication OR power.rolbypassrls OR power.rolname LIKE 'pg\\_%')
              AND pg_has_role(role.oid, power.oid, 'MEMBER')) AS "isSystem"
    FROM pg_roles AS role`;

/** @returns undefined only when PostgreSQL answered that there is none */
export async function findRole(session: Session, role: string): Promise<FoundRole | undefined> {
  const [found] = await session.query<FoundRole>(`${select} WHERE rolname = $1`, [role]);
  return found;
}

/** @throws for a role of others */
export async function observeRole(
  session: Session,
  role: string,
  { mark, isImport, isPreview }: Seeker,
) {
  const found = await findRole(session, role);
  if (found === undefined) return gone();
  const isOurs = found.mark === mark;
  if (!(isOurs || (isImport && isVisible(found, mark)))) throw foreign('role', role);
  const { host, port } = session;
  const { connectionLimit, ...others } = configOf(found);
  // Without a limit, a resource declares none.
  const hasNone = isPreview && connectionLimit < 1;
  const config = hasNone ? others : { ...others, connectionLimit };
  return { config, outputs: { host, port, user: role } };
}

/** @param own what the marks of the type begin with @param cursor the last name of the page before */
export async function listRoles(session: Session, own: string, cursor: string | null) {
  const page = await session.query<FoundRole>(
    `${select} WHERE rolname > $1 ORDER BY rolname LIMIT ${pageSize}`,
    [cursor ?? ''],
  );
  const items = page
    .filter((found) => isVisible(found, own) && isListed(found, own))
    .map((found) => itemOf(found, own, configOf(found)));
  return { items, cursor: page.length < pageSize ? undefined : page.at(-1)?.name };
}

function configOf({ name, login, connectionLimit }: FoundRole) {
  return { name, login, connectionLimit };
}

/** Returns whether it carries no mark and may get one. */
export function isAdoptable({ mark, isSystem }: FoundRole): boolean {
  return !isSystem && (mark === null || !isMark(mark));
}

/** Returns whether the organization may look at it. */
function isVisible({ mark, isSystem }: FoundRole, own: Mark): boolean {
  return !isSystem && !isOfOthers(own, mark);
}
