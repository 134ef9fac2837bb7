// Provides a Python with PyPI packages: a virtual environment that is created once and kept in the cache folder.
import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../../src/app/config/index.ts';

const run = promisify(execFile);

const check = 'import sys, venv; sys.exit(sys.version_info < (3, 13))';

/**
 * @param requirements as pip takes them, with versions
 * @returns the `bin` folder of an environment with the packages, or a sentence on why there is none
 */
export async function pythonWith(
  requirements: readonly string[],
): Promise<{ bin: string } | { missing: string }> {
  const python = await findPython();
  if (python === undefined) return { missing: 'Python 3.13 or newer is not installed' };
  const environments = join(loadConfig([]).cacheFolder, 'python-environments');
  const link = join(environments, requirements.join(' '));
  const bin = join(link, 'bin');
  if (existsSync(link)) return { bin };
  await mkdir(environments, { recursive: true });
  const folder = await mkdtemp(join(environments, 'environment-'));
  try {
    await run(python, ['-m', 'venv', folder]);
    const pip = join(folder, 'bin', 'pip');
    await run(pip, ['install', '--quiet', ...requirements], { timeout: 240_000 });
    if (!(await linked(folder, link))) await rm(folder, { recursive: true, force: true });
    return { bin };
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    return { missing: `${requirements.join(' and ')} cannot be installed: ${String(thrown)}` };
  }
}

/** A virtual environment cannot be moved, so a link to it appears once it is complete. @returns false where another process was first */
async function linked(folder: string, link: string): Promise<boolean> {
  try {
    await symlink(basename(folder), link);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw thrown;
  }
}

async function findPython(): Promise<string | undefined> {
  const pyenv = process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv');
  const candidates = [
    'python3',
    'python3.13',
    'python3.14',
    ...globSync(join(pyenv, 'versions', '3.1[3-9]*', 'bin', 'python3')),
  ];
  for (const candidate of candidates) {
    const fits = await run(candidate, ['-c', check]).then(
      () => true,
      () => false,
    );
    if (fits) return candidate;
  }
  return undefined;
}
