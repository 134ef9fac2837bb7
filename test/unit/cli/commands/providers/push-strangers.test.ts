import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { newHome, runClient } from '../../../../support/clients/client.ts';

let home: string;
let temporary: string;

beforeEach(() => {
  home = newHome();
  temporary = join(home, 'a/b/tmp');
  mkdirSync(temporary, { recursive: true });
  mkdirSync(join(home, 'x/y/z/.git'), { recursive: true });
});

function write(path: string, content: object | string): void {
  const place = join(home, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, typeof content === 'string' ? content : JSON.stringify(content));
}

/** @returns what the command answers, and every file there is afterwards beside the repository */
async function push(flag: string, { folder = 'x/y/z/repo' } = {}) {
  const variables = { FAIRLEAD_TOKEN: 't', FAIRLEAD_URL: 'http://127.0.0.1:1' };
  const words = ['push', ...flag.split(' ').filter((word) => word !== '')];
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporary;
  try {
    const { code, stdout, stderr } = await runClient(words, {
      folder: join(home, folder),
      variables,
    });
    return { code, stdout, stderr, written: readdirSync(join(home, 'a'), { recursive: true }) };
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

const flags = ['--list', '--dry-run', ''];
const nothing = ['b', 'b/tmp'];

it.each(flags)('[C08] push %s writes nothing where "main" leaves the folder', async (flag) => {
  write('x/y/stolen.sh', 'echo');
  write('x/y/z/lib/package.json', { name: 'lib', version: '1.0.0' });
  write('x/y/z/repo/package.json', {
    name: 'p',
    main: '../../stolen.sh',
    dependencies: { lib: 'file:../lib' },
  });
  const { code, stderr, written } = await push(flag);
  expect({ code, written }).toEqual({ code: 2, written: nothing });
  expect(stderr).toContain('../../stolen.sh  has .. in its path');
});

it.each(flags)('[C08] push %s refuses a "main" behind a link to another folder', async (flag) => {
  write('x/secret/key.js', 'x');
  write('x/y/z/repo/package.json', { name: 'p', main: 'link/key.js' });
  symlinkSync(join(home, 'x/secret'), join(home, 'x/y/z/repo/link'));
  write('x/y/z/repo/.fairleadignore', 'link\n');
  const { code, stderr } = await push(flag);
  expect(code).toBe(2);
  expect(stderr).toContain('link/key.js  is in another folder, by a link');
});

it.each(flags)('[C08] push %s names no tarball by a version of a manifest', async (flag) => {
  write('x/y/z/lib/package.json', { name: 'lib', version: 'x/../../../../vendor/dep-1.0.0' });
  write('x/y/z/repo/package.json', { name: 'p', dependencies: { lib: 'file:../lib' } });
  const { written } = await push(flag);
  expect(written.map(String).toSorted()).toEqual(nothing);
});

it.each(flags)('[C09] push %s refuses a file that is no tarball', async (flag) => {
  write('x/y/z/key', '-----BEGIN OPENSSH PRIVATE KEY-----');
  write('x/y/z/repo/package.json', { name: 'p', optionalDependencies: { k: 'file:../key' } });
  const { code, stderr } = await push(flag);
  expect(code).toBe(2);
  expect(stderr).toContain('is no tarball of a package');
});

it.each(flags)(
  '[C09] push %s refuses files and folders outside of the repository',
  async (flag) => {
    write('x/y/other/package.json', { name: 'other', version: '1.0.0' });
    write('x/y/z/repo/package.json', { name: 'p', dependencies: { other: 'file:../../other' } });
    const { code, stderr } = await push(flag);
    expect(code).toBe(2);
    expect(stderr).toContain('is outside of the repository and the workspace');
  },
);

it('[C09] push takes a folder outside of the repository that --local names', async () => {
  write('x/y/other/package.json', { name: 'other', version: '1.0.0' });
  write('x/y/z/repo/package.json', { name: 'p', dependencies: { other: 'file:../../other' } });
  expect(await push('--list --local ../../other')).toMatchObject({ code: 0 });
});

it('[C11] push believes no workspace above the repository', async () => {
  write('x/y/pnpm-workspace.yaml', 'packages: ["**"]');
  write('x/y/pg/package.json', { name: 'pg', version: '8.0.0' });
  write('x/y/z/repo/package.json', { name: 'p', dependencies: { pg: '^8.0.0' } });
  expect((await push('--dry-run')).stderr).not.toContain('pg 8.0.0');
});

it('[C08] push --list writes nothing, not even into a temporary folder', async () => {
  write('x/y/z/lib/package.json', { name: 'lib', version: '1.0.0' });
  write('x/y/z/lib/index.js', '');
  write('x/y/z/repo/package.json', { name: 'p', dependencies: { lib: 'file:../lib' } });
  temporary = join(home, 'no/such/folder');
  const { code, stdout } = await push('--list');
  expect(code).toBe(0);
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/).at(-1)),
  ).toEqual(['FILE', '.local-packages/1.tgz', 'package.json']);
});

it('[C09] push looks for credentials in everything that travels', async () => {
  const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
  write('x/y/z/package.json', { workspaces: ['repo', 'lib'] });
  write('x/y/z/package-lock.json', {
    lockfileVersion: 3,
    packages: {
      'node_modules/lib': { resolved: 'lib', link: true },
      'node_modules/odd': { version: '1.0.0', resolved: `https://x:${token}@npm.example/odd.tgz` },
      lib: { version: '1.0.0' },
      repo: { dependencies: { lib: '*', odd: '1.0.0' } },
    },
  });
  write('x/y/z/lib/package.json', { name: 'lib', version: '1.0.0' });
  write('x/y/z/lib/index.js', `\n// ${token}`);
  write('x/y/z/packed/package/package.json', { name: 'packed', version: '1.0.0' });
  write('x/y/z/packed/package/index.js', token);
  const tarball = join(home, 'x/y/z/lib/packed.tgz');
  execFileSync('tar', ['-czf', tarball, '-C', join(home, 'x/y/z/packed'), 'package']);
  const dependencies = { lib: '*', odd: '1.0.0' };
  write('x/y/z/repo/package.json', { name: 'p', dependencies });
  const places = async () => [...(await push('--dry-run')).stderr.matchAll(/^ {2}(\S+:\d+) /gm)];
  expect((await places()).map(([, place]) => place)).toEqual([
    expect.stringMatching(/^package-lock\.json:\d+$/),
    '../lib/index.js:2',
  ]);
  const optionalDependencies = { packed: 'file:../lib/packed.tgz' };
  write('x/y/z/repo/package.json', { name: 'p', optionalDependencies });
  const inTarball = (await places()).map(([, place]) => place);
  expect(inTarball).toContain('../lib/packed.tgz/package/index.js:1');
});

describe('[C11] a package of the workspace', () => {
  const inWorkspace = async (spec: string, version: string | undefined) => {
    write('x/y/z/package.json', { workspaces: ['repo', 'pg'] });
    write('x/y/z/pg/package.json', { name: 'pg', version });
    write('x/y/z/repo/package.json', { name: 'p', dependencies: { pg: spec } });
    return (await push('--dry-run')).stderr.includes('With local packages: pg');
  };

  it.each([
    ['^8.0.0', '8.1.0'],
    ['*', '0.0.0'],
    ['*', undefined],
    ['workspace:^', '8.0.0-beta.1'],
    ['8.0.0-beta.1', '8.0.0-beta.1'],
  ])('is the dependency %s with version %s', async (spec, version) => {
    expect(await inWorkspace(spec, version)).toBe(true);
  });

  it.each([
    ['^8.0.0', '9.0.0'],
    ['^8.0.0', '8.1.0-beta.1'],
    ['^8.0.0', 'x'],
    ['npm:pg@8', '8.0.0'],
    ['latest', '8.0.0'],
  ])('is not the dependency %s with version %s', async (spec, version) => {
    expect(await inWorkspace(spec, version)).toBe(false);
  });
});

describe('[C11] a workspace counts for nothing', () => {
  const shared = (folder: string) => {
    write(`${folder}/pnpm-workspace.yaml`, 'packages: ["**"]');
    write(`${folder}/pg/package.json`, { name: 'pg', version: '8.0.0' });
    write(`${folder}/ada/package.json`, { name: 'p', dependencies: { pg: '^8.0.0' } });
  };
  const takesPg = async (folder: string) =>
    (await push('--dry-run', { folder: `${folder}/ada` })).stderr.includes('pg 8.0.0');

  it('in a folder where everybody may write', async () => {
    shared('w');
    expect(await takesPg('w'), 'otherwise it is taken').toBe(true);
    chmodSync(join(home, 'w'), 0o777);
    expect(await takesPg('w')).toBe(false);
  });

  it('in the home folder', async () => {
    shared('w');
    vi.stubEnv('HOME', join(home, 'w'));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await takesPg('w')).toBe(false);
  });

  it.runIf(process.getuid?.() === 0)('in a folder of another user', async () => {
    shared('w');
    chownSync(join(home, 'w'), 1, 1);
    expect(await takesPg('w')).toBe(false);
  });
});
