// The example as a package: what its archive holds, and what its author reads when server.json is not as it must be.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { extract } from 'tar';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pack } from '../../../examples/postgres/pack.ts';

const run = promisify(execFile);
const server = { url: 'postgresql://someone:hush@127.0.0.1:1/postgres', secret: 'x'.repeat(32) };
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postgres-package-'));
  await pipeline(Readable.from([await pack(server)]), extract({ cwd: folder }));
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
  expect(names).toEqual(expect.arrayContaining(['index.ts', 'package.json', 'server.json']));
  expect(names).not.toContain('start.ts');
  expect(names).not.toContain('local-postgres.ts');
  expect(JSON.parse(await readFile(join(folder, 'server.json'), 'utf8'))).toEqual(server);
});

it('needs the version of pg that is tested here', async () => {
  const versionIn = async (path: string, kind: string) =>
    JSON.parse(await readFile(path, 'utf8'))[kind].pg;
  const root = resolve(import.meta.dirname, '../../../package.json');
  const own = await versionIn(join(folder, 'package.json'), 'dependencies');
  expect(own).toBe(await versionIn(root, 'devDependencies'));
});

it('has equal bytes for equal settings, so that it is built once', async () => {
  expect((await pack(server)).equals(await pack(server))).toBe(true);
  expect((await pack(server)).equals(await pack({ ...server, secret: 'y'.repeat(32) }))).toBe(
    false,
  );
});

it('exports its types without a reachable PostgreSQL', async () => {
  expect(await imported()).toBe('postgres database role\n');
});

const mistakes = {
  missing: { text: undefined, says: 'server.json beside index.ts is missing' },
  'not JSON': { text: `${server.url} hush`, says: 'server.json beside index.ts cannot be used' },
  'without a secret': {
    text: JSON.stringify({ url: server.url }),
    says: 'server.json beside index.ts cannot be used',
  },
};

it.each(Object.entries(mistakes))(
  'reports that server.json is %s',
  async (_how, { text, says }) => {
    const file = join(folder, 'server.json');
    await rm(file, { force: true });
    if (text !== undefined) await writeFile(file, text);
    const output = await imported();
    expect(output).toContain(says);
    expect(output).not.toContain('hush');
  },
);
