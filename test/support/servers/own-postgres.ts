// A real PostgreSQL for the tests of one file, with data that end with it.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type LocalPostgres, startPostgres } from '../../../examples/postgres/local-postgres.ts';

export interface OwnPostgres extends LocalPostgres, AsyncDisposable {
  /** Of the administrator. */
  readonly password: string;
  /** What PostgreSQL logs. */
  readonly logFile: string;
}

export async function ownPostgres(): Promise<OwnPostgres> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'own-postgres-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL does not run as root: when tests do, its user must be able to pass.
  await chmod(folder, 0o755);
  const data = join(folder, 'data');
  const local = await startPostgres(data);
  stack.defer(() => rm(dirname(local.dataFolder), { recursive: true, force: true }));
  stack.defer(() => local.stop());
  const running = stack.move();
  return {
    ...local,
    password: new URL(local.url).password,
    logFile: join(data, 'postgres.log'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
