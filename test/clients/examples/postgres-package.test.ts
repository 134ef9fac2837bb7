// The example as a package: what its archive holds, and that it can be read without settings.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { extract } from 'tar';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pack } from '../../../examples/postgres/pack.ts';

const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postgres-package-'));
  await pipeline(Readable.from([await pack()]), extract({ cwd: folder }));
  await symlink(
    resolve(import.meta.dirname, '../../../node_modules'),
    join(folder, 'node_modules'),
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Imports the unpacked code in a separate process. @returns its output */
async function imported(): Promise<string> {
  const program =
    "const { default: it } = await import('./index.ts'); console.log(it.name, ...it.types.keys());";
  const words = ['--input-type=module', '--eval', program];
  return await run(process.execPath, words, { cwd: folder }).then(
    ({ stdout }) => stdout,
    (thrown: { stderr: string }) => thrown.stderr,
  );
}

it('contains what the provider needs, and nothing specific to this machine', async () => {
  const names = await readdir(folder);
  expect(names).toEqual(expect.arrayContaining(['index.ts', 'package.json', 'provider.ts']));
  expect(names).not.toContain('start.ts');
  expect(names).not.toContain('local-postgres.ts');
});

it('needs the version of pg that is tested here', async () => {
  const versionIn = async (path: string, kind: string) =>
    JSON.parse(await readFile(path, 'utf8'))[kind].pg;
  const root = resolve(import.meta.dirname, '../../../package.json');
  const own = await versionIn(join(folder, 'package.json'), 'dependencies');
  expect(own).toBe(await versionIn(root, 'devDependencies'));
});

it('has equal bytes every time, so that it is built once', async () => {
  expect((await pack()).equals(await pack())).toBe(true);
});

it('exports its types without a PostgreSQL, and without settings', async () => {
  expect(await imported()).toBe('postgres database role\n');
});
