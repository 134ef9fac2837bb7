// The client and the package of provider code of a release, installed as somebody does who has nothing but them.
import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { makeRelease, releaseFiles } from '../../../packaging/release/files.ts';
import { newFolder } from '../../support/runner/folder.ts';

const run = promisify(execFile);

it('has a client and an SDK that npm installs in an empty folder', async () => {
  const folder = newFolder('release-');
  const committedAt = new Date('2026-01-02T03:04:05Z');
  await makeRelease(folder, { commit: 'c0ffee'.padEnd(40, '0'), committedAt });
  const names = releaseFiles(manifest.version);
  const home = newFolder('client-');
  const npmConfig = {
    registry: inject('npmRegistry'),
    cache: join(home, 'cache'),
    audit: 'false',
    fund: 'false',
  };
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    ...Object.fromEntries(
      Object.entries(npmConfig).map(([key, value]) => [`npm_config_${key}`, value]),
    ),
  };
  const options = { cwd: join(home, 'work'), env };
  await mkdir(options.cwd);
  await run('npm', ['install', join(folder, names.client)], options);
  const fairlead = (...args: readonly string[]) =>
    run(process.execPath, [join(options.cwd, 'node_modules/.bin/fairlead'), ...args], options);
  expect((await fairlead('--help')).stdout).toContain('fairlead COMMAND --help');
  expect((await fairlead('version', '--client')).stdout).toContain(manifest.version);
  // A provider of a name that a package has.
  await fairlead('init', 'zod');
  const inProvider = { ...options, cwd: join(options.cwd, 'zod') };
  await run('npm', ['install'], inProvider);
  await run('npm', ['test'], inProvider);
  await run('npm', ['run', 'check'], inProvider);
  const use = `import { provider } from 'fairlead/provider'; console.log(typeof provider);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', use], options);
  expect(stdout.trim()).toBe('function');
  const installed = join(options.cwd, 'node_modules/fairlead');
  expect(await readdir(installed)).toContain('LICENSE');
  expect(await readdir(join(installed, 'bin'))).toContain('client.LICENSES.txt');
});
