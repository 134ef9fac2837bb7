// The whole process: whom its ports reject, its crashes and restarts. Nothing acknowledged is lost, events keep their identity,
// and nothing runs after it.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, truncate } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  done,
  type RecordingProvider,
  recordingProvider,
} from '../../support/fixtures/receipts.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { listeningPorts } from '../../support/runner/listening-ports.ts';
import { type Caller, Fairlead } from '../../support/servers/fairlead.ts';

const count = 100;
const run = promisify(execFile);

let fairlead: Fairlead;
let acme: Caller;
let provider: RecordingProvider;

interface Listed {
  readonly name: string;
  readonly lifecycle_state: string;
}

beforeAll(async () => {
  fairlead = await Fairlead.start({ env: { FAIRLEAD_RETRY_BASE_MS: '100' } });
  acme = await fairlead.caller('acme');
  const { body } = await acme.get('/auth/me');
  provider = await recordingProvider();
  await acme.post('/resources/register', { provider: 'box', resource: 'crate', description: '' });
  await fairlead.apply({
    apiVersion: 'fairlead.dev/v1alpha1',
    kind: 'Provider',
    metadata: { name: 'box', namespace: (body as { namespace: string }).namespace },
    spec: { provider: 'box', endpoint: provider.url },
  });
});

afterAll(async () => {
  await provider?.close();
  await fairlead?.destroy();
});

async function states(): Promise<readonly Listed[]> {
  const { body } = await acme.get('/resources/?provider=box');
  return body as Listed[];
}

function eventIds(name: string): readonly string[] {
  return provider.receipts
    .filter(({ body }) => body.name === name)
    .map(({ body }) => body.event_id);
}

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

it('ends a hundred resources in flight at a kill -9, each under the event id it had before', async () => {
  const release = Promise.withResolvers<void>();
  provider.respond(async (_receipt, response) => {
    await release.promise;
    if (!response.destroyed) answer(response, 200, { outputs: { made: true } });
  });
  const names = Array.from({ length: count }, (_, index) => `r-${index}`);
  const replies = await Promise.all(
    names.map((name) =>
      acme.post('/resources/apply', {
        provider: 'box',
        resource: 'crate',
        name,
        config: { name },
        lifecycle_state: 'pending',
      }),
    ),
  );
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  await eventually(() => expect(provider.receipts.length).toBeGreaterThan(10));

  await fairlead.kill();
  release.resolve();
  provider.respond(done());
  const before = new Map(names.map((name) => [name, eventIds(name)]));
  await fairlead.up();

  await eventually(async () => {
    const unfinished = (await states()).filter(
      ({ lifecycle_state }) => lifecycle_state !== 'ready',
    );
    expect(unfinished).toEqual([]);
  }, 60_000);
  expect(await states()).toHaveLength(count);
  for (const name of names) {
    expect(
      new Set(eventIds(name)).size,
      `${name} had ${before.get(name)?.length} deliveries before`,
    ).toBe(1);
  }
});

it('keeps everything through a stop and a start, and sends nothing again', async () => {
  const before = await states();
  const deliveries = provider.receipts.length;
  await fairlead.down();
  await fairlead.up();
  expect(await states()).toEqual(before);
  // The start-up sweep has looked at every resource once the newest one is done.
  await acme.post('/resources/apply', {
    provider: 'box',
    resource: 'crate',
    name: 'last',
    config: {},
    lifecycle_state: 'pending',
  });
  await eventually(async () => {
    const last = (await states()).find(({ name }) => name === 'last');
    expect(last?.lifecycle_state).toBe('ready');
  });
  expect(provider.receipts.length).toBe(deliveries + 1);
});

it('says in one sentence that it runs already, and does not disturb the first', async () => {
  const second = fairlead.attempt();
  await expect(second).rejects.toThrow(/already running/i);
  expect((await acme.get('/resources/')).status).toBe(200);
});

it('stays alive and recovers by itself when the API server is killed', async () => {
  await fairlead.killApiServer();
  const during = await acme.get('/resources/box%2Fcrate%2Flast');
  expect([200, 503]).toContain(during.status);
  await eventually(async () => {
    const reply = await acme.post('/resources/apply', {
      provider: 'box',
      resource: 'crate',
      name: 'after',
      config: {},
      lifecycle_state: 'pending',
    });
    expect(reply.status).toBe(200);
  }, 60_000);
  await eventually(async () => {
    const after = (await states()).find(({ name }) => name === 'after');
    expect(after?.lifecycle_state).toBe('ready');
  }, 60_000);
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
