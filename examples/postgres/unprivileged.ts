// PostgreSQL refuses to run as root. This finds the user to run it as, and folders which that user can reach.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, chmod, constants, cp, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

export interface Placement {
  /** undefined: whoever we are. */
  readonly runAs: RunAs | undefined;
  /** Folder of the cluster's files; may not exist yet, but can be made. */
  readonly data: string;
  /** PostgreSQL's own `bin`, `lib` and `share`. */
  readonly native: string;
}

/**
 * @param folder where the data should be  @param native where PostgreSQL was installed
 * @returns both, or copies elsewhere when the user that runs PostgreSQL has no access to them
 */
export async function place(folder: string, native: string): Promise<Placement> {
  if (process.getuid?.() !== 0) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return { runAs: undefined, data: join(folder, 'data'), native };
  }
  const runAs = await unprivilegedUser();
  if ((await reachable(dirname(resolve(folder)))) && (await reachable(native))) {
    return { runAs, data: await passable(folder), native };
  }
  const elsewhere = await publicFolder(resolve(folder));
  const copy = join(elsewhere, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true, force: false });
  return { runAs, data: await passable(elsewhere), native: copy };
}

async function unprivilegedUser(): Promise<RunAs> {
  for (const user of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', user]), run('id', ['-g', user])]);
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // Try the next.
    }
  }
  throw new Error(
    'PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody. ' +
      'Start this as an ordinary user, or set DATABASE_URL to a PostgreSQL that runs elsewhere.',
  );
}

/** @returns whether every user can traverse the folders of the path */
async function reachable(path: string): Promise<boolean> {
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = await lstat(at).catch(() => undefined);
    if (found !== undefined && (found.mode & constants.S_IXOTH) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** Others may pass, not look: PostgreSQL itself insists on 0700 for the data in it. */
async function passable(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o711);
  return join(folder, 'data');
}

async function publicFolder(source: string): Promise<string> {
  const mark = createHash('sha256').update(source).digest('hex').slice(0, 12);
  const base = await access('/var/tmp', constants.W_OK).then(
    () => '/var/tmp',
    () => tmpdir(),
  );
  const folder = join(base, `fairlead-example-postgres-${mark}`);
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const { uid, mode } = await lstat(folder);
  // Everybody can make folders there: one that is not ours may hold anything.
  if (uid !== 0 || (mode & constants.S_IFMT) !== constants.S_IFDIR) {
    throw new Error(`${folder} exists and belongs to another user; remove it and start again.`);
  }
  return folder;
}
