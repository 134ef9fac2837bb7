// The command-line client for authors of providers, as its users run it: from an empty folder to a resource that is ready, then
// another version, and back.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClientResult, spawnClient } from '../support/client.ts';
import type { Caller, Fairlead } from '../support/fairlead.ts';
import { sharedFairlead } from '../support/shared-fairlead.ts';

const run = promisify(execFile);
let fairlead: Fairlead;
let caller: Caller;
let home: string;
let folder: string;

beforeAll(async () => {
  fairlead = await sharedFairlead('standard');
  caller = await fairlead.caller('client-providers');
  home = await mkdtemp(join(tmpdir(), 'fairlead-client-providers-'));
  folder = join(home, 'crates');
});

afterAll(async () => {
  await rm(home, { recursive: true, force: true });
});

async function client(line: string, at = folder): Promise<ClientResult> {
  const variables = { FAIRLEAD_TOKEN: caller.token, FAIRLEAD_URL: fairlead.url, CI: 'true' };
  const started = await spawnClient(line.split(' '), { variables, home, folder: at });
  return await started.result;
}

/** @returns standard output */
async function done(line: string, at = folder): Promise<string> {
  const result = await client(line, at);
  expect(result, `${line}\n${result.stderr}`).toMatchObject({ code: 0 });
  return result.stdout.trim();
}

const versionText = /^\d{8}\.\d{6}$/;
let first: string;
let second: string;

it('writes a provider that runs as it is, and its example becomes ready', async () => {
  expect(await done('init crates', home)).toContain('crates/index.ts');
  const pushed = await client('push');
  expect(pushed, pushed.stderr).toMatchObject({ code: 0 });
  first = pushed.stdout.trim();
  expect(first).toMatch(versionText);
  expect(pushed.stderr).toMatch(/\$ npm install[\s\S]*crates \S+ is running/);
  await done('apply -f greeting.example.yaml --wait --timeout 30s');
  expect(await done('outputs crates/greeting/first text')).toBe('Hello, world!');
  expect(await done('logs crates --tail 50')).not.toBe('');
});

it('builds another version without deploying it, deploys it, and rolls it back', async () => {
  const path = join(folder, 'index.ts');
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll('Hello', 'Good day'));
  second = await done('push --no-deploy -q');
  expect(second).toMatch(versionText);
  expect(await done('provider get -o value=version')).toBe(first);
  expect(await done('deploy crates')).toBe(second);
  expect((await client(`rollback crates ${first} --dry-run`)).stderr).toContain(
    'Nothing was changed',
  );
  const refused = await client('rollback');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('--yes');
  const back = await client('rollback --yes');
  expect(back).toMatchObject({ code: 0, stdout: `${first}\n` });
  expect(back.stderr).toContain(`${second} → ${first}`);
});

it('shows builds, their logs, and what went wrong', async () => {
  const names = (await done('build list crates -o name')).split('\n');
  expect(names).toHaveLength(2);
  expect(await done(`logs ${names[1]}`)).toContain('$ npm install');
  await writeFile(join(folder, 'index.ts'), 'throw new Error("It is broken");');
  const broken = await client('push');
  expect(broken.code).toBe(1);
  expect(broken.stdout).toBe('');
  expect(broken.stderr).toMatch(/failed: .*It is broken[\s\S]*fairlead build logs crates crates-/);
  expect(await done('provider get crates -o value=version')).toBe(first);
});

it('packs what git would track, and deletes with the resources', async () => {
  await run('git', ['init', '-q'], { cwd: folder });
  await writeFile(join(folder, '.env'), 'TOKEN=secret');
  const files = await done('push --list -o name');
  expect(files.split('\n')).toEqual([
    '.gitignore',
    'fairlead.yaml',
    'greeting.example.yaml',
    'index.ts',
    'package.json',
    'tsconfig.json',
  ]);
  expect((await client('provider delete crates --yes')).code).toBe(6);
  expect((await client('provider delete crates --cascade --yes')).code).toBe(0);
});
