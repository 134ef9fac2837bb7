// The artifact store's promises, on a folder and on a real S3 server.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ArtifactDamaged,
  type ArtifactStore,
  type Digest,
} from '../../../src/domain/providers/artifact.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { ArtifactSettings, openArtifactStore } from '../../../src/providers/artifacts/index.ts';
import { bytesOf } from '../../support/fixtures/artifacts/artifact-bytes.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { openFilesUnder } from '../../support/runner/open-files.ts';
import { findGo, type S3Bucket, s3Bucket } from '../../support/servers/s3-server.ts';

const limit = { maxBytes: 64 * 1_024 * 1_024 };
const hasS3 = findGo() !== undefined;
if (!hasS3) {
  process.stderr.write('Skipped: artifacts on S3. There is no Go to build an S3 server with.\n');
}

let root: string;
let bucket: S3Bucket | undefined;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-artifacts-'));
  if (!hasS3) return;
  bucket = await s3Bucket();
}, 600_000);

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

interface BackEnd {
  readonly settings: () => unknown;
  readonly staging: () => string;
  /** The file an artifact is kept in. */
  readonly fileOf: (digest: Digest) => string;
}

const onFolder: BackEnd = {
  settings: () => ({ kind: 'filesystem', folder: join(root, 'store') }),
  staging: () => join(root, 'store', 'staging'),
  fileOf: (digest) => join(root, 'store', 'sha256', digest.slice(7, 9), digest.slice(7)),
};

const onS3: BackEnd = {
  settings: () => ({
    kind: 's3',
    bucket: bucket?.name,
    prefix: 'code/',
    region: bucket?.region,
    endpoint: bucket?.endpoint,
    pathStyle: true,
    credentials: bucket?.credentials,
    stagingFolder: join(root, 's3-staging'),
  }),
  staging: () => join(root, 's3-staging'),
  fileOf: (digest) => join(bucket?.folder ?? '', 'code/sha256', digest.slice(7)),
};

function openStore(backEnd: BackEnd): Promise<ArtifactStore> {
  return openArtifactStore(ArtifactSettings.parse(backEnd.settings()), systemClock);
}

function* pieces(bytes: Buffer, length = 65_536): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

function digestOf(bytes: Buffer): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

async function keep(store: ArtifactStore, bytes: Buffer): Promise<Digest> {
  const staged = await store.put(Readable.from(pieces(bytes)), limit);
  return (await staged.commit()).digest;
}

const cutOff = (path: string) => truncate(path, 299_999);
const append = (path: string) => writeFile(path, 'x', { flag: 'a' });

describe.each([
  { where: 'a folder', backEnd: onFolder, runs: true },
  { where: 'an S3 server', backEnd: onS3, runs: hasS3 },
])('on $where', ({ backEnd, runs }) => {
  const test = it.skipIf(!runs);
  let store: ArtifactStore;

  beforeAll(async () => {
    if (runs) store = await openStore(backEnd);
  });

  test.each([0, 1, 65_536, 5 * 1_024 * 1_024 + 3])('returns %i bytes unchanged', async (size) => {
    const bytes = randomBytes(size);
    const staged = await store.put(Readable.from(pieces(bytes)), limit);
    expect(staged).toMatchObject({ digest: digestOf(bytes), size });
    expect(await readFile(staged.path)).toEqual(bytes);
    expect(await store.has(staged.digest)).toBe(false);
    expect(await staged.commit()).toEqual({ digest: digestOf(bytes), size });
    expect(await store.has(staged.digest)).toBe(true);
    expect(digestOf((await bytesOf(store, staged.digest)) ?? Buffer.of())).toBe(digestOf(bytes));
    const stored = await store.open(staged.digest);
    expect(stored?.size).toBe(size);
    await stored?.bytes.return();
    expect(await readdir(backEnd.staging())).toEqual([]);
  });

  test('keeps one artifact of equal bytes, also for parallel uploads', async () => {
    const bytes = randomBytes(100_000);
    const digests = await Promise.all(Array.from({ length: 8 }, () => keep(store, bytes)));
    expect(new Set(digests)).toEqual(new Set([digestOf(bytes)]));
    expect(await bytesOf(store, digestOf(bytes))).toEqual(bytes);
    expect(await readdir(backEnd.staging())).toEqual([]);
  });

  test('writes an artifact once: the second commit changes nothing', async () => {
    const bytes = randomBytes(1_000);
    const digest = await keep(store, bytes);
    const before = await stat(backEnd.fileOf(digest));
    await keep(store, bytes);
    const after = await stat(backEnd.fileOf(digest));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
  });

  test('rejects the first byte over the limit, and stores nothing', async () => {
    const put = store.put(Readable.from(pieces(randomBytes(1_001), 7)), { maxBytes: 1_000 });
    await expect(put).rejects.toMatchObject({ code: 'too_large' });
    expect(await readdir(backEnd.staging())).toEqual([]);
    const staged = await store.put(Readable.from(pieces(randomBytes(1_000), 7)), {
      maxBytes: 1_000,
    });
    expect(staged.size).toBe(1_000);
    await staged.discard();
    await staged.discard();
    expect(await store.has(staged.digest)).toBe(false);
    expect(await readdir(backEnd.staging())).toEqual([]);
  });

  test('stores nothing of a failed source or an aborted upload', async () => {
    function* breaking(): Generator<Buffer> {
      yield* pieces(randomBytes(200_000));
      throw new Error('gone');
    }
    await expect(store.put(Readable.from(breaking()), limit)).rejects.toThrow('gone');
    const calling = new AbortController();
    function* endless(): Generator<Buffer> {
      for (let sent = 0; ; sent += 1) {
        if (sent === 10) calling.abort(new Error('called off'));
        yield randomBytes(1_000);
      }
    }
    const put = store.put(Readable.from(endless()), { ...limit, signal: calling.signal });
    await expect(put).rejects.toThrow('called off');
    expect(await readdir(backEnd.staging())).toEqual([]);
  });

  test.each([
    { what: 'one byte differs', damage: flipByte },
    { what: 'the end is missing', damage: cutOff },
    { what: 'there is more', damage: append },
  ])('never returns the last chunk when $what', async ({ damage }) => {
    const bytes = randomBytes(300_000);
    const digest = await keep(store, bytes);
    await damage(backEnd.fileOf(digest));
    const stored = await store.open(digest);
    let handed = 0;
    const reading = (async () => {
      for await (const chunk of stored?.bytes ?? []) handed += chunk.length;
    })();
    await expect(reading).rejects.toBeInstanceOf(ArtifactDamaged);
    expect(handed).toBeLessThan(stored?.size ?? 0);
  });

  test('repairs an artifact of a wrong length by a repeated upload', async () => {
    const bytes = randomBytes(300_000);
    const digest = await keep(store, bytes);
    await cutOff(backEnd.fileOf(digest));
    await keep(store, bytes);
    expect(digestOf((await bytesOf(store, digest)) ?? Buffer.of())).toBe(digest);
  });

  test('deletes, also a missing artifact', async () => {
    const digest = await keep(store, randomBytes(10));
    await store.delete(digest);
    await store.delete(digest);
    expect(await store.has(digest)).toBe(false);
    expect(await store.open(digest)).toBeUndefined();
  });

  test('links an artifact to its uploader only', async () => {
    const digest = await keep(store, randomBytes(10));
    await store.link(digest, 'fl-a');
    expect(await store.isLinked(digest, 'fl-a')).toBe(true);
    expect(await store.isLinked(digest, 'fl-b')).toBe(false);
  });

  test('releases an artifact whose reader leaves early, fails, or never starts', async () => {
    const digest = await keep(store, randomBytes(3_000_000));
    for (let round = 0; round < 20; round += 1) {
      const never = await store.open(digest);
      await never?.bytes.return();
      const failed = await store.open(digest);
      await expect(failed?.bytes.throw(new Error('gone'))).rejects.toThrow('gone');
      const early = await store.open(digest);
      for await (const _ of early?.bytes ?? []) break;
    }
    if (process.platform !== 'linux') return;
    await eventually(async () => expect(await openFilesUnder(root)).toEqual([]));
  });

  test('removes leftovers of an upload after an hour, and keeps newer ones', async () => {
    const left = join(backEnd.staging(), 'left.part');
    const running = join(backEnd.staging(), 'running.part');
    for (const path of [left, running]) await writeFile(path, 'half');
    const past = Date.now() / 1_000 - 3_601;
    await utimes(left, past, past);
    await openStore(backEnd);
    expect(await readdir(backEnd.staging())).toEqual(['running.part']);
    await rm(running);
  });
});

describe.skipIf(!hasS3)('on S3 alone', () => {
  it('stores an artifact although the server fails at first', async () => {
    const faults = [503, 500];
    await using proxy = await startProxy((method) =>
      method === 'PUT' ? faults.shift() : undefined,
    );
    const store = await openStore({ ...onS3, settings: () => settingsVia(proxy.url) });
    const bytes = randomBytes(200_000);
    expect(await bytesOf(store, await keep(store, bytes))).toEqual(bytes);
    expect(faults).toEqual([]);
  });

  it('works without conditional requests where the server does not support them', async () => {
    const conditions: unknown[] = [];
    await using proxy = await startProxy((method, headers) => {
      if (method !== 'PUT') return undefined;
      conditions.push(headers['if-none-match']);
      return headers['if-none-match'] === undefined ? undefined : 501;
    });
    const store = await openStore({ ...onS3, settings: () => settingsVia(proxy.url) });
    const bytes = randomBytes(1_000);
    expect(await bytesOf(store, await keep(store, bytes))).toEqual(bytes);
    expect(conditions.at(-1)).toBeUndefined();
    expect(conditions[0]).toBe('*');
  });

  it('reports a missing bucket, and keeps the upload for a retry', async () => {
    const settings = { ...(onS3.settings() as object), bucket: 'missing' };
    const store = await openStore({ ...onS3, settings: () => settings });
    const staged = await store.put(Readable.from(pieces(randomBytes(10))), limit);
    await expect(staged.commit()).rejects.toMatchObject({ name: 'NoSuchBucket' });
    await expect(store.open(staged.digest)).rejects.toMatchObject({ name: 'NoSuchBucket' });
    expect(await readFile(staged.path)).toHaveLength(10);
    await staged.discard();
  });
});

function settingsVia(endpoint: string): unknown {
  return { ...(onS3.settings() as object), endpoint };
}

/** Forwards to the S3 server, except what `fault` answers itself. Signatures name the host, so that is forwarded too. */
async function startProxy(
  fault: (method: string, headers: Record<string, unknown>) => number | undefined,
) {
  const proxy = createServer((req, res) => {
    const status = fault(req.method ?? '', req.headers);
    if (status !== undefined) {
      req.resume().once('end', () => res.writeHead(status).end());
      return;
    }
    const { method, headers, url } = req;
    const onward = request(`${bucket?.endpoint}${url}`, { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    req.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      proxy.close();
      proxy.closeAllConnections();
      await once(proxy, 'close');
    },
  };
}

async function flipByte(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[150_000] = (bytes[150_000] ?? 0) ^ 1;
  await writeFile(path, bytes);
}
