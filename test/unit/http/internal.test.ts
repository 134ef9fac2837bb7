// The listener for pods over real connections, on a real folder.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  ArtifactStore,
  Digest,
  StoredArtifact,
} from '../../../src/domain/providers/artifact.ts';
import { createInternalApp } from '../../../src/http/internal.ts';
import { type Listening, listen } from '../../../src/http/listen.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { type Log, silentLog } from '../../../src/lib/log.ts';
import { openArtifactStore } from '../../../src/providers/artifacts/index.ts';
import { artifactKeys } from '../../support/fixtures/artifacts/artifact-keys.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { openFilesUnder } from '../../support/runner/open-files.ts';

let folder: string;
let artifacts: ArtifactStore;
let tokens: Awaited<ReturnType<typeof artifactKeys>>;
let listening: Listening;
let origin: string;
let complaints: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-internal-'));
  artifacts = await openArtifactStore({ kind: 'filesystem', folder }, systemClock);
  tokens = await artifactKeys();
  complaints = [];
  const log: Log = { ...silentLog, error: (_fields, message) => complaints.push(message) };
  const app = createInternalApp({ artifacts, tokens, clock: systemClock, log });
  listening = await listen(app, { host: '127.0.0.1', port: 0 });
  origin = `http://127.0.0.1:${listening.port}`;
});

afterEach(async () => {
  await listening.close(0);
  await rm(folder, { recursive: true, force: true });
});

const bytes = randomBytes(300_000);
const digestOf = (data: Uint8Array): Digest =>
  `sha256:${createHash('sha256').update(data).digest('hex')}`;
const digest = digestOf(bytes);
const pathOf = ({ hex = digest.slice(7) } = {}) => join(folder, 'sha256', hex.slice(0, 2), hex);
const staged = () => readdir(join(folder, 'staging'));

const toUpload = (maxBytes = 1_000_000) =>
  tokens.sign('fl-x/box', { direction: 'upload', maxBytes }, 60);
const toDownload = (what = digest) =>
  tokens.sign('fl-x/box', { direction: 'download', digest: what }, 60);

const post = (token: string, body: Uint8Array<ArrayBuffer> = bytes) =>
  fetch(`${origin}/artifacts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
  });
const get = (token: string, what: string = digest) =>
  fetch(`${origin}/artifacts/${what}`, { headers: { authorization: `Bearer ${token}` } });

async function keep(data: Uint8Array = bytes): Promise<void> {
  const put = await artifacts.put(readable(data), { maxBytes: data.length });
  await put.commit();
}

async function* readable(data: Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield data;
}

describe('a collection', () => {
  const whole = {
    installation: 'mine',
    referenced: [digest],
    graceSeconds: 60,
    stepSeconds: 60,
    dryRun: false,
  };
  const demand = (token: string, body: unknown = whole) =>
    fetch(`${origin}/artifacts/collection`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const toCollect = () => tokens.sign('fairlead-controller-0', { direction: 'collect' }, 60);

  it('marks what is not referenced', async () => {
    await artifacts.claim('mine');
    await keep();
    await keep(randomBytes(10));
    const answer = await demand(await toCollect());
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      outcome: 'done',
      waiting: { count: 1, bytes: 10 },
    });
    expect(await readdir(join(folder, 'unreferenced'))).toHaveLength(1);
  });

  it('needs a token of its own', async () => {
    for (const token of [await toUpload(), await toDownload()]) {
      expect((await demand(token)).status).toBe(403);
    }
    expect((await demand('nothing')).status).toBe(401);
    const token = await toCollect();
    expect((await get(token)).status).toBe(403);
    expect((await post(token)).status).toBe(403);
    const other = await fetch(`${origin}/artifacts/collection`);
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each([
    { what: 'a part of its body', body: JSON.stringify(whole).slice(0, -20) },
    { what: 'no references', body: { ...whole, referenced: undefined } },
    { what: 'a reference that is no digest', body: { ...whole, referenced: [digest, 'x'] } },
    { what: 'no grace period', body: { ...whole, graceSeconds: 0 } },
  ])('is refused with $what', async ({ body }) => {
    await keep();
    expect((await demand(await toCollect(), body)).status).toBe(422);
    expect(await readdir(folder)).not.toContain('unreferenced');
  });
});

describe('an upload', () => {
  it('is stored under its digest, and can be downloaded', async () => {
    const answer = await post(await toUpload());
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ digest, size: bytes.length });
    expect(await staged()).toEqual([]);
    const fetched = await get(await toDownload());
    expect(fetched.headers.get('content-length')).toBe(String(bytes.length));
    expect(Buffer.from(await fetched.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('is linked to the namespace of the uploading pod', async () => {
    await post(await toUpload());
    expect(await artifacts.isLinked(digest, 'fl-x')).toBe(true);
    expect(await artifacts.isLinked(digest, 'fl-y')).toBe(false);
  });

  it('is linked to no namespace when Fairlead itself uploads it', async () => {
    const grant = { direction: 'upload', maxBytes: 1_000_000 } as const;
    const answer = await post(await tokens.sign('fairlead-controller-0', grant, 60));
    expect(answer.status).toBe(200);
    expect(await readdir(folder)).not.toContain('links');
  });

  it('may be repeated with the same token, with the same bytes only', async () => {
    const token = await toUpload();
    expect((await post(token)).status).toBe(200);
    expect((await post(token)).status).toBe(200);
    const other = randomBytes(10);
    expect(await (await post(token, other)).json()).toMatchObject({ code: 'conflict' });
    expect(await artifacts.has(digestOf(other))).toBe(false);
    expect(await staged()).toEqual([]);
  });

  it('is rejected by its announced length before it is sent', async () => {
    const sending = request(`${origin}/artifacts`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await toUpload(10)}`,
        'content-length': 11,
        expect: '100-continue',
      },
    });
    sending.on('error', () => undefined);
    sending.on('continue', () => expect.fail('it was asked to go on'));
    sending.flushHeaders();
    const [response] = await once(sending, 'response');
    expect(response.statusCode).toBe(413);
    sending.destroy();
  });

  it('is rejected at the limit, also without an announced length', async () => {
    const sending = request(`${origin}/artifacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await toUpload(100_000)}` },
    });
    sending.on('error', () => undefined);
    const answered = once(sending, 'response');
    sending.write(bytes);
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    expect(JSON.parse((await buffer(response)).toString())).toMatchObject({ code: 'too_large' });
    expect(await staged()).toEqual([]);
    sending.destroy();
  });

  it('leaves nothing when the connection breaks', async () => {
    const socket = connect(listening.port, '127.0.0.1');
    const head = [
      'POST /artifacts HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${await toUpload()}`,
    ];
    socket.write([...head, `Content-Length: ${bytes.length}`, '', ''].join('\r\n'));
    socket.write(bytes.subarray(0, 100_000));
    await eventually(async () => expect(await staged()).toHaveLength(1));
    socket.destroy();
    await eventually(async () => expect(await staged()).toEqual([]));
    expect(await artifacts.has(digest)).toBe(false);
  });

  it('[K08] is rejected with a download token', async () => {
    expect((await post(await toDownload())).status).toBe(403);
    expect(await artifacts.has(digest)).toBe(false);
  });
});

describe('a download', () => {
  it('[K08] is limited to the digest in the token', async () => {
    await keep();
    expect((await get(await toDownload())).status).toBe(200);
    expect((await get(await toDownload(digestOf(randomBytes(9))))).status).toBe(403);
    expect((await get(await toUpload())).status).toBe(403);
  });

  it('is 404 for a missing artifact', async () => {
    expect((await get(await toDownload())).status).toBe(404);
  });

  it('is cut off when the bytes do not match the digest', async () => {
    await keep();
    const damaged = Buffer.from(bytes);
    damaged[7] = (damaged[7] ?? 0) ^ 1;
    await writeFile(pathOf(), damaged);
    const answer = await get(await toDownload());
    await expect(answer.arrayBuffer()).rejects.toThrow();
    expect(complaints).toEqual(['Reading an artifact failed']);
  });

  it('is closed when its reader disconnects', async () => {
    // More than connections hold on the way.
    const large = Buffer.alloc(32 * 1_048_576, 'x');
    await keep(large);
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${await toDownload(digestOf(large))}` };
    const path = `${origin}/artifacts/${digestOf(large)}`;
    const answer = await fetch(path, { headers, signal: leaving.signal });
    expect(answer.status).toBe(200);
    leaving.abort();
    // The listener can end only when no answer is under way any more.
    await listening.close(60_000);
    expect(complaints).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'is closed when its reader has already disconnected',
    async () => {
      await keep();
      const gone = Promise.withResolvers<void>();
      const opened: StoredArtifact[] = [];
      const open: ArtifactStore['open'] = async (wanted) => {
        const stored = await artifacts.open(wanted);
        if (stored !== undefined) opened.push(stored);
        socket.destroy();
        await gone.promise;
        return stored;
      };
      const app = createInternalApp({
        ...{ tokens, clock: systemClock, log: silentLog },
        artifacts: { ...artifacts, open },
      });
      await using other = new AsyncDisposableStack();
      const late = await listen(
        (req, res) => {
          res.once('close', gone.resolve);
          app(req, res);
        },
        { host: '127.0.0.1', port: 0 },
      );
      other.defer(() => late.close(0));
      const socket = connect(late.port, '127.0.0.1');
      const token = await toDownload();
      socket.write(
        `GET /artifacts/${digest} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      );
      await gone.promise;
      await eventually(async () => {
        expect(opened).toHaveLength(1);
        expect(await openFilesUnder(folder)).toEqual([]);
      }, 3_000);
    },
  );
});

it.each([
  ['no token', {}],
  ['a word for a token', { authorization: 'Bearer hello' }],
  ['another scheme', { authorization: 'Basic eDp5' }],
])('[K08] answers 401 to %s', async (_what, headers) => {
  await keep();
  const fetched = await fetch(`${origin}/artifacts/${digest}`, { headers });
  expect(fetched.status).toBe(401);
  expect(fetched.headers.get('www-authenticate')).toBe('Bearer');
  expect((await fetch(`${origin}/artifacts`, { method: 'POST', headers, body: 'x' })).status).toBe(
    401,
  );
});

it.each([
  ['GET', '/', 404],
  ['GET', '/artifacts', 405],
  ['POST', `/artifacts/${digest}`, 405],
  ['DELETE', `/artifacts/${digest}`, 405],
  ['GET', '/artifacts/..%2f..%2fetc', 404],
  ['GET', `/artifacts/${digest}/`, 404],
  ['GET', `/artifacts/${digest}?x`, 404],
])('answers %s %s with %i', async (method, path, status) => {
  expect((await fetch(origin + path, { method })).status).toBe(status);
});
