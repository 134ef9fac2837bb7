// The command-line client for authors of providers, as its users run it: from an empty folder to a resource that is ready, then
// another version, and back.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClientResult, spawnClient } from '../../support/clients/client.ts';
import { eventually } from '../../support/runner/eventually.ts';
import type { Caller, Fairlead } from '../../support/servers/fairlead.ts';
import { sharedFairlead } from '../../support/servers/lent/shared-fairlead.ts';

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

/** Of the second version: a resource `held` cannot be deleted. */
const refusesDeletion = `async delete({ name, log }) {
      if (name !== 'held') return;
      log.info('asked to delete held');
      fail('locked', 'Legal hold');
    }`;
/** Nothing awaits it, so it ends the process. */
const crash = "if (to === 'crash') setTimeout(() => { throw new Error('Boom'); });";

const versionText = /^\d{8}\.\d{6}$/;
let first: string;
let second: string;

it('writes a provider that runs as it is, and its example becomes ready', async () => {
  expect(await done('init crates', home)).toContain('crates/src/index.ts');
  const pushed = await client('push');
  expect(pushed, pushed.stderr).toMatchObject({ code: 0 });
  first = pushed.stdout.trim();
  expect(first).toMatch(versionText);
  expect(pushed.stderr).toMatch(/\$ npm install[\s\S]*crates \S+ is running/);
  await done('apply -f greeting.example.yaml --wait --timeout 30s');
  expect(await done('outputs crates/greeting/first text')).toBe('Hello, world!');
  expect(await done('logs crates --tail 50')).not.toBe('');
});

it('builds another version without deploying it, and deploys it', async () => {
  const path = join(folder, 'src/greeting.ts');
  const code = (await readFile(path, 'utf8'))
    .replaceAll('Hello', 'Good day')
    .replace('async delete() {}', refusesDeletion)
    .replace('if (to ===', `${crash}\n  if (to ===`);
  expect(code).toContain(refusesDeletion);
  await writeFile(path, code);
  second = await done('push --no-deploy -q');
  expect(second).toMatch(versionText);
  expect(await done('provider get -o value=version')).toBe(first);
  expect(await done('deploy crates')).toBe(second);
});

it('shows a deletion that the provider refuses, until it is forced', async () => {
  const ref = 'crates/greeting/held';
  await writeFile(join(home, 'held.yaml'), `resource: ${ref}\nconfig: {to: you}\n`);
  await done('apply -f ../held.yaml --wait --timeout 30s');
  const refused = await client(`delete ${ref} --wait --timeout 30s`);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /Legal hold \[DeleteFailed, locked\][\s\S]*fairlead why \S+\/held\n$/,
  );

  const why = await done(`why ${ref}`);
  expect(why).toContain('Legal hold [DeleteFailed, locked]');
  expect(why).toContain(`fairlead delete ${ref} --force`);
  expect(await done('why')).toContain(ref);
  expect(await done(`get ${ref}`)).toMatch(/✗ failed .*Legal hold \[DeleteFailed, locked\]/);
  const listed = await client('get');
  expect(listed.stdout).not.toContain(ref);
  expect(listed.stderr).toMatch(/\n1 more is being deleted: fairlead get --deleting\n$/);
  expect(await done('get --deleting -o name')).toBe(ref);
  expect(await client(`wait ${ref}`)).toMatchObject({ code: 1 });
  expect(await done(`logs ${ref}`)).toContain('asked to delete held');

  const forced = await client(`delete ${ref} --force --yes --wait --timeout 30s`);
  expect(forced, forced.stderr).toMatchObject({ code: 0 });
  expect(forced.stderr).not.toContain('Legal hold');
  const [receipt = ''] = /receipt-\S+/.exec(forced.stdout) ?? [];
  expect(forced.stdout).toMatch(new RegExp(`^${receipt} +${ref} .*Forced`, 'm'));
  expect(forced.stderr).toContain(`fairlead receipts delete ${receipt}\n`);
  expect(await client(`get ${ref}`)).toMatchObject({ code: 5 });
  expect((await client('get')).stderr).not.toContain('being deleted');
  await done(`receipts delete ${receipt}`);
});

it('shows how the process of a provider ended', async () => {
  const before = await client('logs crates --previous');
  expect(before).toMatchObject({ code: 5, stdout: '' });
  expect(before.stderr).toContain('The present log: fairlead logs crates');
  const file = join(home, 'crash.yaml');
  await writeFile(file, 'resource: crates/greeting/crash\nconfig:\n  to: crash\n');
  await done(`apply -f ${file} --no-wait`);
  await eventually(async () => expect(await done('logs crates')).toContain('Boom'));
  const mistyped = await client('logs crates/greeting/crush');
  expect(mistyped).toMatchObject({ code: 5, stdout: '' });
});

it('rolls back to the version before', async () => {
  expect((await client(`rollback crates ${first} --dry-run`)).stderr).toContain(
    'Nothing was changed',
  );
  const back = await client('rollback');
  expect(back).toMatchObject({ code: 0, stdout: `${first}\n` });
  expect(back.stderr).toContain(`${second} → ${first}`);
});

it('shows builds, their logs, and what went wrong', async () => {
  const names = (await done('build list crates -o name')).split('\n');
  expect(names).toHaveLength(2);
  expect(await done(`logs ${names[1]}`)).toContain('$ npm install');
  await writeFile(join(folder, 'src/index.ts'), 'throw new Error("It is broken");');
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
    'package.json',
    'src/greeting.ts',
    'src/index.ts',
    'src/provider.ts',
    'test/greeting.test.ts',
    'tsconfig.json',
  ]);
  expect((await client('provider delete crates --yes')).code).toBe(6);
  expect((await client('provider delete crates --cascade --yes')).code).toBe(0);
});
