// Artifact stores for tests of their garbage collection, in a folder and on a real S3 server, with passes in virtual time.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type {
  ArtifactStore,
  CollectionReport,
  CollectionRequest,
  Digest,
} from '../../src/domain/artifact.ts';
import type { CollectableStore } from '../../src/providers/artifacts/collection/collect.ts';
import { collectableFolder } from '../../src/providers/artifacts/filesystem-collection.ts';
import { ArtifactSettings, openArtifactStore } from '../../src/providers/artifacts/index.ts';
import { collectableBucket } from '../../src/providers/artifacts/s3-collection.ts';
import { type ManualTime, manualTime } from './manual-time.ts';
import { findGo, type S3Server, startS3Server } from './s3-server.ts';

export const hourMs = 3_600_000;
const day = 86_400;
export const neverAborted = new AbortController().signal;
const go = findGo();
if (go === undefined) {
  process.stderr.write(
    'Skipped: the collection on S3. There is no Go to build an S3 server with.\n',
  );
}

let root: string;
let server: S3Server | undefined;
let client: S3Client | undefined;

async function start(): Promise<void> {
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
}

async function stop(): Promise<void> {
  client?.destroy();
  await server?.stop();
  await rm(root, { recursive: true, force: true });
}

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
        if (method === 'objectsIn') {
          return async function* objectsIn(place: string) {
            before();
            yield* target.objectsIn(place);
          };
        }
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

/** A store that is new in each test. */
export interface CollectedStore {
  readonly store: ArtifactStore;
  readonly time: ManualTime;
  /** Its objects as files. */
  readonly folder: string;
  /** @param before called before every request or change; it may throw */
  collectable(before: () => void): CollectableStore;
  keep(bytes?: Buffer): Promise<Digest>;
  requestOf(referenced: readonly Digest[], given?: Partial<CollectionRequest>): CollectionRequest;
  /** A pass, and then a day. */
  pass(
    referenced: readonly Digest[],
    given?: Partial<CollectionRequest>,
  ): Promise<CollectionReport>;
  passDays(days: number, referenced?: readonly Digest[]): Promise<void>;
}

let count = 0;

async function openCollected(backEnd: BackEnd): Promise<CollectedStore> {
  count += 1;
  const name = `store-${count}`;
  const time = manualTime();
  const settings = ArtifactSettings.parse(backEnd.settings(name));
  const store = await openArtifactStore(settings, time.clock);

  function requestOf(referenced: readonly Digest[], given: Partial<CollectionRequest> = {}) {
    const request = { installation: 'mine', graceSeconds: 7 * day, dryRun: false };
    // A pass a day instead of one an hour.
    return { ...request, stepSeconds: 2 * day, referenced: new Set(referenced), ...given };
  }

  async function pass(referenced: readonly Digest[], given: Partial<CollectionRequest> = {}) {
    const report = await store.collect(requestOf(referenced, given), neverAborted);
    time.pass(24 * hourMs);
    return report;
  }

  return {
    store,
    time,
    folder: backEnd.folder(name),
    collectable: (before) => backEnd.collectable(name, before),
    async keep(bytes = randomBytes(100)) {
      const staged = await store.put(Readable.from([bytes]), { maxBytes: 1_000_000 });
      return (await staged.commit()).digest;
    },
    requestOf,
    pass,
    async passDays(days, referenced = []) {
      for (let each = 0; each < days; each += 1) await pass(referenced);
    },
  };
}

interface Given {
  readonly test: typeof it;
  /** Opens another one. */
  readonly open: () => Promise<CollectedStore>;
}

/** Declares tests for each kind of store. */
export function describeCollectedStores(declare: (given: Given) => void): void {
  // Here, and not in the module: a worker that runs a second file knows the module already.
  beforeAll(start, 600_000);
  afterAll(stop);
  describe.each([
    { where: 'a folder', backEnd: onFolder, runs: true },
    { where: 'an S3 server', backEnd: onS3, runs: go !== undefined },
  ])('in $where', ({ backEnd, runs }) => {
    declare({ test: it.skipIf(!runs) as typeof it, open: () => openCollected(backEnd) });
  });
}
