// The garbage collection of artifacts, in a folder and on a real S3 server.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type {
  ArtifactStore,
  CollectionReport,
  CollectionRequest,
  Digest,
} from '../../../src/domain/artifact.ts';
import {
  type CollectableStore,
  collect,
} from '../../../src/providers/artifacts/collection/collect.ts';
import { collectableFolder } from '../../../src/providers/artifacts/filesystem-collection.ts';
import { ArtifactSettings, openArtifactStore } from '../../../src/providers/artifacts/index.ts';
import { collectableBucket } from '../../../src/providers/artifacts/s3-collection.ts';
import { bytesOf } from '../../support/artifact-bytes.ts';
import { type ManualTime, manualTime } from '../../support/manual-time.ts';
import { findGo, type S3Server, startS3Server } from '../../support/s3-server.ts';

const hourMs = 3_600_000;
const day = 86_400;
const neverAborted = new AbortController().signal;
const go = findGo();
if (go === undefined) {
  process.stderr.write(
    'Skipped: the collection on S3. There is no Go to build an S3 server with.\n',
  );
}

let root: string;
let server: S3Server | undefined;
let client: S3Client | undefined;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-collection-'));
  if (go === undefined) return;
  server = await startS3Server(go);
  await server.createBucket('artifacts');
  const { endpoint, region, credentials } = server;
  client = new S3Client({
    endpoint,
    region,
    credentials: { ...credentials },
    forcePathStyle: true,
    maxAttempts: 1,
  });
}, 600_000);

afterAll(async () => {
  client?.destroy();
  await server?.stop();
  await rm(root, { recursive: true, force: true });
});

interface BackEnd {
  readonly settings: (name: string) => unknown;
  /** @param before called before every request or change; it may throw */
  readonly collectable: (name: string, before: () => void) => CollectableStore;
  /** The folder of its objects as files. */
  readonly folder: (name: string) => string;
}

const onFolder: BackEnd = {
  settings: (name) => ({ kind: 'filesystem', folder: join(root, name) }),
  collectable(name, before) {
    const store = collectableFolder(join(root, name));
    return new Proxy(store, {
      get(target, method) {
        const work = Reflect.get(target, method) as (...given: unknown[]) => Promise<unknown>;
        return async (...given: unknown[]) => {
          before();
          return await work(...given);
        };
      },
    });
  },
  folder: (name) => join(root, name),
};

const onS3: BackEnd = {
  settings: (name) => ({
    kind: 's3',
    bucket: 'artifacts',
    prefix: `${name}/it's/`,
    region: server?.region,
    endpoint: server?.endpoint,
    pathStyle: true,
    credentials: server?.credentials,
    stagingFolder: join(root, `${name}-staging`),
  }),
  collectable(name, before) {
    const send = async (command: never) => {
      before();
      return await client?.send(command);
    };
    const dying = { send } as unknown as S3Client;
    return collectableBucket({ client: dying, name: 'artifacts', prefix: `${name}/it's/` });
  },
  folder: (name) => join(server?.folder ?? '', 'artifacts', name, "it's"),
};

let count = 0;

describe.each([
  { where: 'a folder', backEnd: onFolder, runs: true },
  { where: 'an S3 server', backEnd: onS3, runs: go !== undefined },
])('in $where', ({ backEnd, runs }) => {
  const test = it.skipIf(!runs);
  let name: string;
  let time: ManualTime;
  let store: ArtifactStore;

  beforeEach(async () => {
    count += 1;
    name = `store-${count}`;
    time = manualTime();
    if (runs) store = await openStore();
  });

  function openStore(): Promise<ArtifactStore> {
    return openArtifactStore(ArtifactSettings.parse(backEnd.settings(name)), time.clock);
  }

  async function keep(bytes: Buffer = randomBytes(100)): Promise<Digest> {
    const staged = await store.put(Readable.from([bytes]), { maximumBytes: 1_000_000 });
    return (await staged.commit()).digest;
  }

  function requestOf(referenced: readonly Digest[], given: Partial<CollectionRequest> = {}) {
    const request = { installation: 'mine', graceSeconds: 7 * day, dryRun: false };
    // A pass a day instead of one an hour.
    return { ...request, stepSeconds: 2 * day, referenced: new Set(referenced), ...given };
  }

  /** A pass, and then a day. */
  async function pass(
    referenced: readonly Digest[],
    given: Partial<CollectionRequest> = {},
  ): Promise<CollectionReport> {
    const report = await store.collect(requestOf(referenced, given), neverAborted);
    time.pass(24 * hourMs);
    return report;
  }

  async function passDays(days: number, referenced: readonly Digest[] = []): Promise<void> {
    for (let each = 0; each < days; each += 1) await pass(referenced);
  }

  test('removes an artifact a grace period and a day after its last reference', async () => {
    const [used, unused] = [await keep(), await keep()];
    const bytes = await bytesOf(store, unused);
    await store.link(unused, 'fl-a');
    await passDays(10, [used, unused]);
    expect(await pass([used])).toMatchObject({ waiting: { count: 1, bytes: 100 } });
    await passDays(6, [used]);
    const moved = await pass([used]);
    expect(moved).toMatchObject({ waiting: { count: 0 }, trash: { count: 1, bytes: 100 } });
    expect(await bytesOf(store, unused)).toEqual(bytes);
    expect(await store.isLinked(unused, 'fl-a')).toBe(true);
    const removed = await pass([used]);
    expect(removed).toMatchObject({ trash: { count: 0 }, removed: { count: 1, bytes: 100 } });
    expect(await store.open(unused)).toBeUndefined();
    expect(await store.has(unused)).toBe(false);
    expect(await store.isLinked(unused, 'fl-a')).toBe(false);
    expect(await store.has(used)).toBe(true);
    expect(await pass([used])).toMatchObject({ removed: { count: 0 }, trash: { count: 0 } });
  });

  test('keeps what is referenced again, also from the trash', async () => {
    const digest = await keep();
    await passDays(7);
    await pass([digest]);
    await passDays(8);
    expect(await store.has(digest)).toBe(true);
    const restored = await pass([digest]);
    expect(restored).toMatchObject({ restored: { count: 1, bytes: 100 }, trash: { count: 0 } });
    await passDays(20, [digest]);
    expect(await bytesOf(store, digest)).toHaveLength(100);
    // The grace period begins anew.
    await passDays(7);
    expect(await pass([digest])).toMatchObject({ restored: { count: 0 } });
  });

  test('removes nothing in a dry run, and reports what it would remove', async () => {
    const digest = await keep();
    for (let days = 0; days < 20; days += 1) await pass([], { dryRun: true });
    const due = await pass([], { dryRun: true });
    expect(due).toMatchObject({ due: { count: 1, bytes: 100 }, trash: { count: 0 } });
    expect(await pass([])).toMatchObject({ due: { count: 0 }, trash: { count: 1 } });
    expect(await store.has(digest)).toBe(true);
  });

  test('stores bytes again that are pushed while they are in the trash', async () => {
    const bytes = randomBytes(100);
    const digest = await keep(bytes);
    await passDays(8);
    expect(await keep(bytes)).toBe(digest);
    await passDays(7, [digest]);
    expect(await bytesOf(store, digest)).toEqual(bytes);
  });

  test('keeps the artifact of a push that begins just before the move', async () => {
    const bytes = randomBytes(100);
    const digest = await keep(bytes);
    await passDays(7);
    const staged = await store.put(Readable.from([bytes]), { maximumBytes: 100 });
    await staged.commit();
    // The references were read before the push.
    await pass([]);
    expect(await bytesOf(store, digest)).toEqual(bytes);
    await passDays(5, [digest]);
    expect(await bytesOf(store, digest)).toEqual(bytes);
  });

  test('does not count a clock that jumps, nor a long pause', async () => {
    const digest = await keep();
    await pass([]);
    time.setWallClock(new Date('2030-01-01T00:00:00.000Z'));
    expect(await pass([])).toMatchObject({ waiting: { count: 1 } });
    time.setWallClock(new Date('2020-01-01T00:00:00.000Z'));
    expect(await pass([])).toMatchObject({ waiting: { count: 1 } });
    expect(await store.has(digest)).toBe(true);
  });

  test('leaves the artifacts of another installation alone until it is silent', async () => {
    const digest = await keep();
    await passDays(7);
    const other = { installation: 'other' };
    expect(await store.collect(requestOf([], other), neverAborted)).toMatchObject({
      outcome: 'foreign',
      trash: { count: 0 },
    });
    expect(await pass([])).toMatchObject({ outcome: 'done', trash: { count: 1 } });
    time.pass(7 * 24 * hourMs);
    const taken = await store.collect(requestOf([], other), neverAborted);
    expect(taken).toMatchObject({ waiting: { count: 1 }, trash: { count: 0 } });
    expect(await store.collect(requestOf([]), neverAborted)).toMatchObject({ outcome: 'foreign' });
    expect(await store.has(digest)).toBe(true);
  });

  test('does not touch what it does not know', async () => {
    await keep();
    const folder = backEnd.folder(name);
    const files = ['sha256/ab/notes.txt', 'trash/README', 'unreferenced/README', 'sha256/README'];
    for (const file of files.map((each) => join(folder, each))) {
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, 'mine');
    }
    await passDays(12);
    for (const file of files) expect(await readFile(join(folder, file), 'utf8')).toBe('mine');
  });

  test('survives a crash before every step, and two processes at the same time', async () => {
    const used = await keep(Buffer.from('used'));
    const found = await keep(Buffer.from('found again'));
    const unused = await keep(Buffer.from('unused'));
    const everything = [used, found, unused];

    /** Two passes at the same time. @returns whether one crashed */
    async function crashesAfter(steps: number, referenced: readonly Digest[]): Promise<boolean> {
      let left = steps;
      const dying = backEnd.collectable(name, () => {
        left -= 1;
        if (left < 0) throw new Error('crashed');
      });
      const options = { clock: time.clock, signal: neverAborted };
      const passes = [1, 2].map(() => collect(dying, requestOf(referenced), options));
      const ended = await Promise.allSettled(passes);
      return ended.some(({ status }) => status === 'rejected');
    }

    /** Repeats the passes, each time one step further, until they are complete. */
    async function crashing(referenced: readonly Digest[], kept: readonly Digest[]): Promise<void> {
      for (let steps = 0; await crashesAfter(steps, referenced); steps += 1) {
        for (const digest of kept) expect(await store.has(digest)).toBe(true);
      }
      for (const digest of kept) expect(await store.has(digest)).toBe(true);
      time.pass(24 * hourMs);
    }

    await crashing([used], everything);
    await passDays(6, [used]);
    await crashing([used], everything);
    await crashing([used, found], [used, found]);
    await pass([used, found]);
    expect(await store.has(unused)).toBe(false);
    for (const digest of [used, found]) expect(await store.has(digest)).toBe(true);
    expect(await pass([used, found])).toMatchObject({ trash: { count: 0 }, waiting: { count: 0 } });
  });
});
