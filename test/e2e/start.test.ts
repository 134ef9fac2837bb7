// Starts that fail, with the message that a person reads; the ports of a running process; and the end of one that is killed.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fairlead } from '../support/fairlead.ts';
import { freePort } from '../support/free-port.ts';
import { listeningPorts } from '../support/listening-ports.ts';

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

it('names the port that is taken, and how to choose another one', async () => {
  const server = createServer();
  const port = await freePort();
  await new Promise<void>((ready) => server.listen(port, '127.0.0.1', ready));
  const { stderr, code } = await failing([], { FAIRLEAD_PORT: String(port) });
  server.close();
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(new RegExp(`Port ${port}.*--port`));
  expect(code).toBe(1);
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

async function processesOf(place: string): Promise<readonly string[]> {
  const { stdout } = await run('ps', ['-eww', '-o', 'args=']);
  return stdout.split('\n').filter((line) => line.includes(place));
}

const isLinux = process.platform === 'linux';

/** @returns the status and the CORS header of an answer to what a page in a browser can send */
function asPage(port: number, scheme: 'http' | 'https', headers: Readonly<Record<string, string>>) {
  const send = scheme === 'http' ? httpRequest : httpsRequest;
  return new Promise<{ status: number; cors: string | undefined }>((resolve, reject) => {
    const options = { port, host: '127.0.0.1', path: '/', headers, rejectUnauthorized: false };
    const request = send(options, (answer) => {
      answer.resume();
      const { 'access-control-allow-origin': cors } = answer.headers;
      resolve({ status: answer.statusCode ?? 0, cors });
    });
    request.once('error', reject).end();
  });
}

describe('a running Fairlead', () => {
  let fairlead: Fairlead;

  beforeAll(async () => {
    fairlead = await Fairlead.start();
  });
  afterAll(async () => {
    await fairlead?.destroy();
  });

  it.runIf(isLinux)('rejects pages of other sites on every port it listens on', async () => {
    const ports = await listeningPorts(fairlead.folder);
    // API, issuer, metrics, pods, logs of the node, kube-apiserver.
    expect(new Set(ports.map(({ port }) => port)).size).toBeGreaterThanOrEqual(6);
    expect(ports.filter(({ command }) => command.includes('etcd '))).toEqual([]);
    for (const { address, port } of ports) {
      expect(address, `port ${port} is on loopback`).toMatch(/^0100007F$|^0{24}0{7}1$/);
      const host = `localhost:${port}`;
      for (const headers of [
        { host: `evil.example:${port}` },
        { host, origin: 'http://evil.example' },
        { host, origin: 'null' },
      ]) {
        const { status, cors } = await asPage(port, 'http', headers).then(
          (answer) => (answer.status === 400 ? asPage(port, 'https', headers) : answer),
          () => asPage(port, 'https', headers),
        );
        expect(status, `port ${port}, ${JSON.stringify(headers)}`).toBeGreaterThanOrEqual(400);
        expect(cors).toBeUndefined();
      }
    }
  });

  it('leaves no process behind after a kill -9, and names its data folder when the data are damaged', async () => {
    expect((await processesOf(fairlead.folder)).length).toBeGreaterThan(3);
    await fairlead.kill();
    await eventually(async () => expect(await processesOf(fairlead.folder)).toEqual([]), 20_000);

    const etcd = join(fairlead.folder, 'data', 'etcd', 'member');
    const snapshots = join(etcd, 'snap', 'db');
    expect(existsSync(snapshots)).toBe(true);
    await truncate(snapshots, 8_192);
    for (const name of await readdir(join(etcd, 'wal'))) {
      await truncate(join(etcd, 'wal', name), 100);
    }
    await expect(fairlead.attempt()).rejects.toThrow(
      /etcd cannot read its data in .*Move that folder/,
    );
    expect(await processesOf(fairlead.folder)).toEqual([]);
  });
});
