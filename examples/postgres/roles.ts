// Roles: making them what they should be, however far an earlier attempt came; never touching those of others.
import { createHmac } from 'node:crypto';
import { fail } from 'fairlead/provider';
import { findRole, isAdoptable } from './found-roles.ts';
import { type Claim, foreign, identityIn, type Mark } from './mark.ts';
import { scramVerifier } from './scram.ts';
import type { Server, Session } from './server.ts';
import { name, SqlState, sql, sqlState } from './sql.ts';

export interface WantedRole {
  readonly name: string;
  readonly login: boolean;
  readonly password: string;
  /** -1: no limit. */
  readonly connectionLimit: number;
}

/** A password that stays the same however often it is asked for, and differs for every role of every resource. */
export function passwordFor({ secret }: Server, mark: Mark, role: string): string {
  return createHmac('sha256', secret)
    .update(`${identityIn(mark)}\n${role}`)
    .digest('base64url');
}

/** @returns the mark of a role; undefined when the role does not exist, an empty text when it has no mark */
export async function markOfRole(session: Session, role: string): Promise<string | undefined> {
  const [found] = await session.query<{ mark: string | null }>(
    "SELECT shobj_description(oid, 'pg_authid') AS mark FROM pg_roles WHERE rolname = $1",
    [role],
  );
  return found === undefined ? undefined : (found.mark ?? '');
}

export async function ensureRole(
  session: Session,
  wanted: WantedRole,
  { mark, isImported }: Claim,
): Promise<void> {
  const role = name(wanted.name);
  const found = await findRole(session, wanted.name);
  if (found === undefined) {
    await createRole(session, wanted.name, mark);
  } else if (found.mark !== mark) {
    const isOurs = found.mark === mark || (isImported && isAdoptable(found));
    if (!isOurs) throw foreign('role', wanted.name);
    await session.query(sql`COMMENT ON ROLE ${role} IS ${mark}`);
  }
  const { connectionLimit } = wanted;
  const verifier = await scramVerifier(wanted.password);
  await session.query(
    wanted.login
      ? sql`ALTER ROLE ${role} LOGIN CONNECTION LIMIT ${connectionLimit} PASSWORD ${verifier}`
      : sql`ALTER ROLE ${role} NOLOGIN CONNECTION LIMIT ${connectionLimit} PASSWORD NULL`,
  );
}

// In one query, so in one transaction: a role without its mark would look like somebody else's to the next attempt.
async function createRole(session: Session, role: string, mark: Mark): Promise<void> {
  const create = sql`CREATE ROLE ${name(role)}; COMMENT ON ROLE ${name(role)} IS ${mark}`;
  try {
    await session.query(create);
  } catch (thrown) {
    if (sqlState(thrown) === SqlState.reservedName) {
      throw fail('reserved_name', `PostgreSQL reserves the name ${role}`);
    }
    throw thrown;
  }
}

/** Does nothing when there is no such role, or when it is somebody else's. */
export async function dropRole(session: Session, role: string, mark: Mark): Promise<void> {
  const found = await markOfRole(session, role);
  if (found !== mark) return;
  try {
    await session.query(sql`DROP ROLE IF EXISTS ${name(role)}`);
  } catch (thrown) {
    if (sqlState(thrown) !== SqlState.dependentObjects) throw thrown;
    throw fail(
      'role_in_use',
      `Role ${role} still owns objects; reassign or drop them, then delete again`,
    );
  }
}
