// The launcher of the client: it keeps compiled code for the next run, and works without it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { bundledClient } from '../../../support/clients/client.ts';

let launcher: string;
let caches: string;

beforeAll(async () => {
  launcher = await bundledClient();
});

beforeEach(() => {
  caches = mkdtempSync(join(tmpdir(), 'fairlead-caches-'));
  return () => rmSync(caches, { recursive: true, force: true });
});

function run(command: string, { cache = caches, program = launcher } = {}): string {
  const env = { PATH: process.env['PATH'], HOME: caches, XDG_CACHE_HOME: cache };
  return execFileSync(process.execPath, [program, command], {
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

function cached(): string {
  const folder = join(caches, 'fairlead/v8');
  const [version = ''] = readdirSync(folder);
  return join(folder, version);
}

it('keeps the code of a command, for its user alone', () => {
  const first = run('help');
  expect(readdirSync(cached())).toEqual(['help']);
  const path = join(cached(), 'help');
  const { mode, mtimeMs } = statSync(path);
  expect(mode & 0o777).toBe(0o600);
  expect(run('help')).toBe(first);
  expect(statSync(path).mtimeMs).toBe(mtimeMs);
});

it('makes code anew that is damaged', () => {
  const first = run('help');
  const path = join(cached(), 'help');
  writeFileSync(path, 'damaged');
  expect(run('help')).toBe(first);
  expect(readFileSync(path).length).toBeGreaterThan(100_000);
});

it('does not use the code of another bundle of the same length, and removes it', async () => {
  run('help');
  const before = cached();
  const folder = mkdtempSync(join(caches, 'other-'));
  const program = join(folder, 'fairlead.cjs');
  await copyFile(launcher, program);
  const text = readFileSync(join(dirname(launcher), 'client.cjs'), 'utf8');
  const changed = text.replace('fairlead declares', 'FAIRLEAD declares');
  writeFileSync(join(folder, 'client.cjs'), changed.replace(/^\/\/./, '//x'));
  expect(changed).not.toBe(text);
  expect(run('help', { program })).toContain('FAIRLEAD declares');
  expect(cached()).not.toBe(before);
});

it('works where nothing can be kept', () => {
  expect(run('help', { cache: '/dev/null/caches' })).toContain('fairlead declares');
});

it('keeps nothing of a command that fails', () => {
  expect(() => run('nonsense')).toThrow(/Unknown command/);
  expect(readdirSync(caches)).toEqual([]);
});
