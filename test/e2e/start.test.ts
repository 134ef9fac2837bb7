// Starts that fail, with the message that a person reads.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/runner/free-port.ts';

const run = promisify(execFile);
const main = resolve(import.meta.dirname, '../../src/main.ts');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-start-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** @returns standard error of a start that cannot succeed, and its exit code */
async function failing(flags: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const settings = {
    FAIRLEAD_PORT: String(await freePort()),
    FAIRLEAD_ISSUER_PORT: String(await freePort()),
    FAIRLEAD_INTERNAL_PORT: String(await freePort()),
    FAIRLEAD_METRICS_PORT: String(await freePort()),
    FAIRLEAD_DATA: join(folder, 'data'),
  };
  const child = spawn(process.execPath, [main, 'dev', ...flags], {
    env: { ...process.env, ...settings, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const code = await new Promise((ended) => child.once('exit', ended));
  return { stderr, code };
}

it('names every port that is taken, and ends with a command that takes free ones', async () => {
  const servers = [createServer(), createServer()];
  const ports = [await freePort(), await freePort()];
  for (const [at, server] of servers.entries()) {
    await new Promise<void>((ready) => server.listen(ports[at], '127.0.0.1', ready));
  }
  const { stderr, code } = await failing([], {
    FAIRLEAD_PORT: String(ports[0]),
    FAIRLEAD_METRICS_PORT: String(ports[1]),
  });
  for (const server of servers) server.close();
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(
    new RegExp(`Ports ${ports[0]} .* and ${ports[1]} .*npm start -- --port \\d+\n$`),
  );
  expect(code).toBe(1);
});

it('describes its flags', async () => {
  const { stdout } = await run(process.execPath, [main, 'dev', '--help']);
  expect(stdout).toMatch(/^Usage: npm start -- [\s\S]*--port PORT /);
  expect(stdout.split('\n').length).toBeLessThan(10);
});

it('names a data folder that cannot be used', async () => {
  await writeFile(join(folder, 'file'), '');
  const { stderr, code } = await failing(['--data', join(folder, 'file', 'data')]);
  expect(stderr).toMatch(/data folder .* cannot be used.*--data/);
  expect(code).toBe(1);
});

it('names a kubeconfig that cannot be used', async () => {
  await writeFile(join(folder, 'kubeconfig'), 'kind: Nonsense');
  const { stderr, code } = await failing(['--kubeconfig', join(folder, 'kubeconfig')]);
  expect(stderr).toMatch(/kubeconfig/);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(code).toBe(1);
});

it('prints the usage for an unknown verb', async () => {
  const failure = await run(process.execPath, [main, 'devv']).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: fairlead') });
});
