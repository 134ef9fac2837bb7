// Databases: making them what they should be, however far an earlier attempt came; never touching those of others.
import { fail } from 'fairlead/provider';
import { findDatabase, isAdoptable, isOurs } from './found-databases.ts';
import { type Claim, foreign, type Mark, sameOrganization } from './mark.ts';
import { dropRole, ensureRole, markOfRole } from './roles.ts';
import type { Session } from './server.ts';
import { name, SqlState, sql, sqlState } from './sql.ts';

export interface WantedDatabase {
  readonly name: string;
  /** Role that owns the database; the database's own role when absent. */
  readonly owner: string | undefined;
  readonly connectionLimit: number;
  /** Of the database's own role, which is named like the database. */
  readonly password: string;
}

/**
 * The steps are ordered so that each can be repeated: the role comes first and carries the mark, so that a database whose
 * own mark was not written yet is recognised by its role.
 */
export async function ensureDatabase(
  session: Session,
  wanted: WantedDatabase,
  claim: Claim,
): Promise<void> {
  const { mark: own, isImported } = claim;
  const found = await findDatabase(session, wanted.name);
  if (found !== undefined && !isOurs(found, own)) {
    if (!isImported || !isAdoptable(found, own)) throw foreign('database', wanted.name);
  }
  // The database's own role may not be there yet; whose it is, `ensureRole` checks.
  const isOthers = wanted.owner !== undefined && wanted.owner !== wanted.name;
  if (isOthers) await requireOwner(session, wanted.owner, own);
  const login = { name: wanted.name, login: true, password: wanted.password, connectionLimit: -1 };
  await ensureRole(session, login, claim);
  if (found === undefined) await create(session, wanted.name);
  const database = name(wanted.name);
  await session.query(sql`COMMENT ON DATABASE ${database} IS ${own}`);
  await session.query(sql`REVOKE CONNECT, TEMPORARY ON DATABASE ${database} FROM PUBLIC`);
  await session.query(sql`GRANT ALL ON DATABASE ${database} TO ${database}`);
  await session.query(sql`ALTER DATABASE ${database} CONNECTION LIMIT ${wanted.connectionLimit}`);
  await handOver(session, wanted);
}

async function create(session: Session, database: string): Promise<void> {
  try {
    await session.query(sql`CREATE DATABASE ${name(database)} OWNER ${name(database)}`);
  } catch (thrown) {
    // An attempt that was cut off may end on the server after we looked; our role owns what it made.
    if (sqlState(thrown) !== SqlState.duplicateDatabase) throw thrown;
    const found = await findDatabase(session, database);
    if (found?.owner !== database) throw foreign('database', database);
  }
}

// A role of PostgreSQL's own, or of another organization, would hand its rights to whoever asks.
async function requireOwner(session: Session, role: string, own: Mark): Promise<void> {
  const mark = await markOfRole(session, role);
  if (mark !== undefined && sameOrganization(own, mark)) return;
  throw fail('owner_missing', `This organization has no role ${role}`);
}

/** The database's own role is a member of whoever owns the database, and of nobody else, so that clients keep their rights. */
async function handOver(session: Session, wanted: WantedDatabase): Promise<void> {
  const next = wanted.owner ?? wanted.name;
  const own = name(wanted.name);
  if (next !== wanted.name) await session.query(sql`GRANT ${name(next)} TO ${own}`);
  await session.query(sql`ALTER DATABASE ${own} OWNER TO ${name(next)}`);
  for (const former of await membershipsOf(session, wanted.name)) {
    if (former !== next) await session.query(sql`REVOKE ${name(former)} FROM ${own}`);
  }
}

async function membershipsOf(session: Session, role: string): Promise<string[]> {
  const rows = await session.query<{ role: string }>(
    `SELECT DISTINCT pg_get_userbyid(roleid) AS role
       FROM pg_auth_members WHERE member = (SELECT oid FROM pg_roles WHERE rolname = $1)`,
    [role],
  );
  return rows.map((row) => row.role);
}

/**
 * Deleting a resource deletes its data, and ends the sessions that use it: otherwise one idle client could keep a
 * database for ever. Whoever wants to keep the data deletes the resource with `deletionPolicy: Orphan`.
 * Does nothing when there is no such database, or when it is somebody else's.
 */
export async function dropDatabase(session: Session, database: string, own: Mark) {
  const found = await findDatabase(session, database);
  if (found !== undefined) {
    if (!isOurs(found, own)) return;
    await session.query(sql`DROP DATABASE IF EXISTS ${name(database)} WITH (FORCE)`);
  }
  await dropRole(session, database, own);
}
