import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { newHome, runClient } from '../../../support/clients/client.ts';

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
async function push(flag: string) {
  const variables = { FAIRLEAD_TOKEN: 't', FAIRLEAD_URL: 'http://127.0.0.1:1', TMPDIR: temporary };
  const words = ['push', ...flag.split(' ').filter((word) => word !== '')];
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporary;
  try {
    const { code, stderr } = await runClient(words, {
      folder: join(home, 'x/y/z/repo'),
      variables,
    });
    return { code, stderr, written: readdirSync(join(home, 'a'), { recursive: true }) };
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

const flags = ['--list', '--dry-run', ''];
const nothing = ['b', 'b/tmp'];

it.each(flags)('push %s writes nothing where "main" leaves the folder', async (flag) => {
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

it.each(flags)('push %s refuses a "main" behind a link to another folder', async (flag) => {
  write('x/secret/key.js', 'x');
  write('x/y/z/repo/package.json', { name: 'p', main: 'link/key.js' });
  symlinkSync(join(home, 'x/secret'), join(home, 'x/y/z/repo/link'));
  write('x/y/z/repo/.fairleadignore', 'link\n');
  const { code, stderr } = await push(flag);
  expect(code).toBe(2);
  expect(stderr).toContain('link/key.js  is in another folder, by a link');
});

it.each(flags)('push %s names no tarball by a version of a manifest', async (flag) => {
  write('x/y/z/lib/package.json', { name: 'lib', version: 'x/../../../../vendor/dep-1.0.0' });
  write('x/y/z/repo/package.json', { name: 'p', dependencies: { lib: 'file:../lib' } });
  const { written } = await push(flag);
  expect(written.map(String).toSorted()).toEqual(nothing);
});

it.each(flags)('push %s refuses a file that is no tarball', async (flag) => {
  write('x/y/z/key', '-----BEGIN OPENSSH PRIVATE KEY-----');
  write('x/y/z/repo/package.json', { name: 'p', optionalDependencies: { k: 'file:../key' } });
  const { code, stderr } = await push(flag);
  expect(code).toBe(2);
  expect(stderr).toContain('is no tarball of a package');
});

it.each(flags)('push %s refuses files and folders outside of the repository', async (flag) => {
  write('x/y/other/package.json', { name: 'other', version: '1.0.0' });
  write('x/y/z/repo/package.json', { name: 'p', dependencies: { other: 'file:../../other' } });
  const { code, stderr } = await push(flag);
  expect(code).toBe(2);
  expect(stderr).toContain('is outside of the repository and the workspace');
});

it('push takes a folder outside of the repository that --local names', async () => {
  write('x/y/other/package.json', { name: 'other', version: '1.0.0' });
  write('x/y/z/repo/package.json', { name: 'p', dependencies: { other: 'file:../../other' } });
  expect(await push('--list --local ../../other')).toMatchObject({ code: 0 });
});

it('push believes no workspace above the repository', async () => {
  write('x/y/pnpm-workspace.yaml', 'packages: ["**"]');
  write('x/y/pg/package.json', { name: 'pg', version: '8.0.0' });
  write('x/y/z/repo/package.json', { name: 'p', dependencies: { pg: '^8.0.0' } });
  expect((await push('--dry-run')).stderr).not.toContain('pg 8.0.0');
});
