// The garbage collection of artifacts with the objects of a real API server, over the listener of the API, as with a volume.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startClaiming } from '../../../src/app/artifact-claim.ts';
import { createCaches } from '../../../src/app/caches.ts';
import type { Build } from '../../../src/crds/build.ts';
import type {
  ArtifactRef,
  ArtifactStore,
  CollectionReport,
} from '../../../src/domain/providers/artifact.ts';
import { createInternalApp } from '../../../src/http/internal.ts';
import { type Listening, listen } from '../../../src/http/listen.ts';
import { type KubeObject, keyFor } from '../../../src/kube/api.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { openArtifactStore } from '../../../src/providers/artifacts/index.ts';
import { createArtifacts } from '../../../src/providers/build-step/transfer.ts';
import { unpack } from '../../../src/providers/build-step/unpack.ts';
import { type CollectionDeps, collectOnce } from '../../../src/reconcilers/artifacts/index.ts';
import { apiVersion, kinds, namespaceKind } from '../../../src/store/kinds.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { artifactKeys } from '../../support/fixtures/artifacts/artifact-keys.ts';
import { tarOf } from '../../support/fixtures/code/archives.ts';
import { aBuild } from '../../support/fixtures/workloads/workload-builders.ts';
import { eventually } from '../../support/runner/eventually.ts';
import { type ManualTime, manualTime } from '../../support/runner/manual-time.ts';

const client = clientWithCrds();
const neverAborted = new AbortController().signal;
/** One pass counts at most this much. */
const stepHours = 2;

let folder: string;
let namespace: string;
let stack: AsyncDisposableStack;
let time: ManualTime;
let kept: ArtifactStore;
let tokens: Awaited<ReturnType<typeof artifactKeys>>;
let listening: Listening;
let caches: ReturnType<typeof createCaches>;
let deps: CollectionDeps;
let outcomes: string[];
let last: CollectionReport | undefined;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  folder = await mkdtemp(join(tmpdir(), 'fairlead-collection-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  namespace = `fl-collection-${randomUUID().slice(0, 8)}`;
  await client.create<KubeObject>(namespaceKind, { metadata: { name: namespace } });
  time = manualTime();
  kept = await openArtifactStore({ kind: 'filesystem', folder: join(folder, 'kept') }, time.clock);
  const systemNamespace = 'default';
  await startClaiming(stack, { client, artifacts: kept, systemNamespace, log: silentLog });
  tokens = await artifactKeys();
  const app = createInternalApp({ artifacts: kept, tokens, clock: systemClock, log: silentLog });
  listening = await listen(app, { host: '127.0.0.1', port: 0 });
  stack.defer(() => listening.close(0));
  const artifacts = await openArtifactStore(
    { kind: 'remote', url: urlOfListener(), stagingFolder: join(folder, 'staging') },
    systemClock,
    (grant) => tokens.sign('controller', grant, 60),
  );
  const kubeDeps = { client, clock: systemClock, log: silentLog, random: Math.random };
  caches = createCaches(kubeDeps);
  stack.defer(async () => {
    await Promise.all(caches.all.map((each) => each.stop()));
  });
  outcomes = [];
  last = undefined;
  deps = {
    artifacts,
    caches,
    systemNamespace,
    settings: { graceDays: 7, dryRun: false },
    observer: {
      passed: (outcome) => outcomes.push(outcome),
      found: (report) => {
        last = report;
      },
    },
    requireLead: () => undefined,
    log: silentLog,
  };
});

afterEach(() => stack.disposeAsync());

function urlOfListener(): string {
  return `http://127.0.0.1:${listening.port}`;
}

async function fill(): Promise<void> {
  const { builds, pods, jobs, deployments, namespaces } = caches;
  await Promise.all([builds, pods, jobs, deployments, namespaces].map((each) => each.start()));
}

async function code(text: string): Promise<ArtifactRef> {
  const body = JSON.stringify({ name: text });
  const archive = gzipSync(tarOf({ path: 'package.json', body }));
  const staged = await kept.put(Readable.from([archive]), { maxBytes: 1_000_000 });
  return await staged.commit();
}

/** As the controller leaves it after a push. */
async function builtOf(source: ArtifactRef, artifact: ArtifactRef): Promise<Build> {
  const built = aBuild({ metadata: { namespace }, spec: { source } });
  const { uid: _uid, generation: _generation, ...metadata } = built.metadata;
  const { status: _status, ...whole } = built;
  return await store({ ...whole, metadata }, { phase: 'success', artifact });
}

async function store(object: Omit<Build, 'status'>, status: Build['status']): Promise<Build> {
  const created = await client.create<Build>(kinds.build, object as Build);
  const { name, uid = '', resourceVersion = '' } = created.metadata;
  const identity = { name, namespace, uid, resourceVersion };
  return await client.replaceStatus<Build>(kinds.build, {
    apiVersion,
    kind: kinds.build.kind,
    metadata: identity,
    status,
  });
}

/** As `kubectl create` of a saved object, without what docs/operations.md strips, and then its status. */
async function restore({ status, ...saved }: Build): Promise<void> {
  const { name, labels = {}, annotations = {} } = saved.metadata;
  await store({ ...saved, metadata: { name, namespace, labels, annotations } } as Build, status);
  await eventually(() => expect(caches.builds.get(keyOf(saved))?.status).toEqual(status));
}

async function removeBuild(build: Build): Promise<void> {
  await client.delete(kinds.build, build.metadata);
  await eventually(() => expect(caches.builds.get(keyOf(build))).toBeUndefined());
}

const keyOf = ({ metadata: { name } }: Pick<Build, 'metadata'>) => keyFor({ namespace, name });

async function passDays(days: number): Promise<void> {
  for (let hours = 0; hours < days * 24; hours += stepHours) {
    await collectOnce(deps, neverAborted);
    time.pass(stepHours * 3_600_000);
  }
}

/** What the init container of a provider does. @returns the name in its package.json */
async function start({ digest }: ArtifactRef): Promise<unknown> {
  const workspace = await mkdtemp(join(folder, 'workspace-'));
  const token = await tokens.sign('fl-x/shop', { direction: 'download', digest }, 60);
  const artifacts = createArtifacts({ url: urlOfListener(), token });
  await unpack({ workspace, digest, artifacts });
  const text = await readFile(join(workspace, 'code', 'package.json'), 'utf8');
  return (JSON.parse(text) as { name: string }).name;
}

it('starts the code of objects that were restored within the grace period, or a day later', async () => {
  await fill();
  const source = await code('source');
  const artifact = await code('built');
  const saved = await builtOf(source, artifact);
  await eventually(() => expect(caches.builds.get(keyOf(saved))?.status?.artifact).toBeDefined());
  await passDays(1);
  expect(last).toMatchObject({ waiting: { count: 0 } });
  await removeBuild(saved);
  await passDays(6.9);
  expect(last).toMatchObject({ waiting: { count: 2 }, trash: { count: 0 } });
  await restore(saved);
  expect(await start(artifact)).toBe('built');
  await passDays(0.1);
  expect(last).toMatchObject({ waiting: { count: 0 } });
  await removeBuild(saved);
  await passDays(7.5);
  expect(last).toMatchObject({ waiting: { count: 0 }, trash: { count: 2 } });
  await restore(saved);
  expect(await start(artifact)).toBe('built');
  await passDays(0.1);
  expect(last).toMatchObject({ trash: { count: 0 } });
  await passDays(2);
  expect(await start(artifact)).toBe('built');
  expect(new Set(outcomes)).toEqual(new Set(['done']));
});

it('does nothing while a cache is not complete, or this process does not lead', async () => {
  await code('unreferenced');
  await collectOnce(deps, neverAborted);
  expect(outcomes).toEqual(['skipped']);
  await fill();
  await collectOnce({ ...deps, systemNamespace: 'missing' }, neverAborted);
  const notLeading = () => {
    throw new Error('not leading');
  };
  await collectOnce({ ...deps, requireLead: notLeading }, neverAborted);
  expect(outcomes).toEqual(['skipped', 'skipped', 'failed']);
  expect(await readdir(join(folder, 'kept'))).not.toContain('unreferenced');
  await collectOnce(deps, neverAborted);
  expect(last).toMatchObject({ waiting: { count: 1 } });
});

it('collects after an administrator has confirmed, with the command in the log', async () => {
  await fill();
  await code('unreferenced');
  const warnings: Record<string, unknown>[] = [];
  const warn = (fields: object) => void warnings.push({ ...fields });
  const log = { ...silentLog, warn };
  const beside = { ...deps, systemNamespace: namespace, log };
  await eventually(() => expect(caches.namespaces.get(namespace)).toBeDefined());
  await collectOnce(beside, neverAborted);
  expect(outcomes).toEqual(['foreign']);
  const [, name = '', value = ''] = /(\S+)=(\S+)$/.exec(String(warnings[0]?.['confirm'])) ?? [];
  const annotated = { metadata: { annotations: { [name]: value } } };
  await client.patch(namespaceKind, { name: namespace }, annotated);
  const annotations = () => caches.namespaces.get(namespace)?.metadata.annotations;
  await eventually(() => expect(annotations()).toMatchObject({ [name]: value }));
  await collectOnce(beside, neverAborted);
  expect(outcomes).toEqual(['foreign', 'done']);
  expect(last).toMatchObject({ waiting: { count: 1 } });
});
