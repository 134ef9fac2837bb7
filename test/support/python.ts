// Provides a Python with PyPI packages: a virtual environment that is created once and kept in the cache folder.
import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../src/app/config.ts';

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
  const folder = join(loadConfig([]).cacheFolder, 'python', requirements.join(' '));
  const bin = join(folder, 'bin');
  // A virtual environment cannot be moved: this file marks it as complete.
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return { bin };
  try {
    await mkdir(join(folder, '..'), { recursive: true });
    await rm(folder, { recursive: true, force: true });
    await run(python, ['-m', 'venv', folder]);
    await run(join(bin, 'pip'), ['install', '--quiet', ...requirements], { timeout: 240_000 });
    await writeFile(complete, '');
    return { bin };
  } catch (thrown) {
    await rm(folder, { recursive: true, force: true });
    return { missing: `${requirements.join(' and ')} cannot be installed: ${String(thrown)}` };
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
