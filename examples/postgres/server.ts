// One administrative session with PostgreSQL per operation: opened late, closed always, cancelled when nobody waits any more.
import pg from 'pg';

/** The settings: where the databases are made, and what is needed to make them. */
export interface Server {
  /** URL of a superuser, or of a role that may create databases and roles. */
  readonly url: string;
  /** Passwords are derived from it, so that a repeated create hands out the one that is set. */
  readonly secret: string;
}

export interface Session {
  readonly host: string;
  readonly port: number;
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

const connectTimeoutMs = 5_000;
const statementTimeoutMs = 20_000;

/**
 * Runs `work` in a session of its own. Operations on the same `subject` wait for one another: an event may be delivered
 * again while its first delivery still runs. What only reads has no subject, and waits for nobody.
 * @throws what `work` throws, and the driver's errors, which Fairlead retries
 */
export async function withSession<T>(
  { url }: Server,
  { subject, signal }: { subject?: string; signal: AbortSignal },
  work: (session: Session) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: 'fairlead-provider',
  });
  // A lost connection also rejects the query that runs; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const cancel = () => void cancelBackend(url, rows[0].pid);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      // Whoever left while we connected is not heard leaving any more, and the lock may take long.
      signal.throwIfAborted();
      if (subject !== undefined) {
        await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [subject]);
      }
      return await work({
        host: client.host,
        port: client.port,
        async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
          signal.throwIfAborted();
          return (await client.query<Row>(text, [...values])).rows;
        },
      });
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  } finally {
    // Ending the session releases the lock.
    await client.end().catch(() => undefined);
  }
}

async function cancelBackend(url: string, pid: number): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT pg_cancel_backend($1)', [pid]);
  } catch {
    // The statement timeout ends it then.
  } finally {
    await client.end().catch(() => undefined);
  }
}
