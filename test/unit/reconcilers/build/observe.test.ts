import { expect, it } from 'vitest';
import type { Build } from '../../../../src/crds/build.ts';
import { type Key, type KindRef, type KubeObject, keyFor } from '../../../../src/kube/api.ts';
import { KubeError } from '../../../../src/kube/errors.ts';
import { type ObserveDeps, observe } from '../../../../src/reconcilers/build/observe.ts';
import type { Job, Pod } from '../../../../src/reconcilers/workloads.ts';
import {
  aBuild,
  aJob,
  aPod,
  artifact,
  ended,
  namespace,
} from '../../../support/fixtures/workloads/workload-builders.ts';

interface World {
  readonly builds?: readonly Build[];
  /** The content of the caches so far, and the current objects. */
  readonly cached?: { readonly jobs?: readonly Job[]; readonly pods?: readonly Pod[] };
  /** Whether the built code was deleted. */
  readonly lost?: boolean;
  readonly stored?: { readonly jobs?: readonly Job[]; readonly pods?: readonly Pod[] };
}

function deps({ builds = [aBuild()], cached = {}, stored = {}, lost = false }: World) {
  const asked: string[] = [];
  const cacheOf = <T extends KubeObject>(all: readonly T[] = []) => ({
    get: (key: Key) => all.find(({ metadata }) => keyFor(metadata) === key),
    items: () => all,
  });
  const client = {
    get: () => {
      asked.push('job');
      const [job] = stored.jobs ?? [];
      const missing = new KubeError({ reason: 'notFound', message: 'No Job' });
      return job === undefined ? Promise.reject(missing) : Promise.resolve(job);
    },
    list: ({ plural }: KindRef) => {
      asked.push(plural);
      if (plural === 'events') return Promise.resolve({ items: [], resourceVersion: '1' });
      return Promise.resolve({ items: [...(stored.pods ?? [])], resourceVersion: '1' });
    },
  };
  const caches = {
    builds: cacheOf(builds),
    jobs: cacheOf(cached.jobs),
    pods: cacheOf(cached.pods),
    organizations: cacheOf(),
    guardWatch: { problem: () => undefined },
    artifacts: { has: () => Promise.resolve(!lost) },
  };
  return { asked, deps: { ...caches, client } as unknown as ObserveDeps };
}

async function look(world: World, build = aBuild()) {
  const { asked, deps: given } = deps({ builds: [build], ...world });
  return { seen: await observe(keyFor(build.metadata), given), asked };
}

const running = aPod();
const succeeded = aPod({
  status: { phase: 'Succeeded', containerStatuses: [ended({ exitCode: 0 }, 'publish')] },
});
const complete = aJob({ type: 'Complete' });
function ownerOf({ metadata }: Pod) {
  const [owner] = metadata.ownerReferences ?? [];
  if (owner === undefined) throw new Error('no owner');
  return owner;
}

it('ignores a missing build and one in deletion', async () => {
  expect((await look({ builds: [] })).seen).toBeUndefined();
  const going = aBuild({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
  expect((await look({}, going)).seen).toBeUndefined();
});

it('requests a Job that is not in the cache', async () => {
  const { seen } = await look({ stored: { jobs: [aJob()] } });
  expect(seen?.job, 'A second Job would be started').toEqual(aJob());
});

it('requests the pod of a finished Job when the cache is older', async () => {
  for (const pods of [[], [running]]) {
    const { seen } = await look({
      cached: { jobs: [complete], pods },
      stored: { pods: [succeeded] },
    });
    expect(seen?.pod, 'A build that succeeded would fail for having said nothing').toBe(succeeded);
  }
});

it('requests nothing that is in the caches', async () => {
  const { seen, asked } = await look({ cached: { jobs: [complete], pods: [succeeded] } });
  expect(seen?.pod).toBe(succeeded);
  expect(asked).toEqual([]);
  expect((await look({ cached: { jobs: [aJob()], pods: [running] } })).asked).toEqual([]);
});

it('requests nothing for a finished build', async () => {
  const done = aBuild({ status: { phase: 'failed' } });
  expect((await look({}, done)).asked, 'A restart looks at every build there is').toEqual([]);
  expect((await look({ cached: { jobs: [complete] } }, done)).asked).toEqual([]);
});

it('uses the newest pod of this build only', async () => {
  const older = aPod({ metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } });
  const other = aPod({
    metadata: { labels: {}, ownerReferences: [], creationTimestamp: '2027-01-01T00:00:00Z' },
  });
  const { seen } = await look({ cached: { jobs: [aJob()], pods: [older, running, other] } });
  expect(seen?.pod).toBe(running);
});

it.each<[string, Partial<Pod['metadata']>]>([
  ['by its label alone', { ownerReferences: [] }],
  [
    'of a Job of the same name that is gone',
    { ownerReferences: [{ ...ownerOf(running), uid: 'uid-job-before' }] },
  ],
  [
    'that names the Job as an owner which does not control it',
    { ownerReferences: [{ ...ownerOf(running), controller: false }] },
  ],
])('[K23] ignores a newer pod %s', async (_what, metadata) => {
  const creationTimestamp = '2027-01-01T00:00:00Z';
  const forged = aPod({
    metadata: { ...metadata, creationTimestamp },
    status: succeeded.status ?? {},
  });
  const pods = [forged, succeeded];
  expect((await look({ cached: { jobs: [complete], pods } })).seen?.pod).toBe(succeeded);
  const { seen } = await look({ cached: { jobs: [complete] }, stored: { pods } });
  expect(seen?.pod, 'asked for').toBe(succeeded);
});

it('[K23] ignores a foreign Job under the name of the build', async () => {
  const forged: Job = { ...complete, metadata: { ...complete.metadata, ownerReferences: [] } };
  const { seen } = await look({ cached: { jobs: [forged], pods: [succeeded] } });
  expect(seen).toMatchObject({ job: undefined, pod: undefined });
});

const twin = aBuild({
  spec: { version: '20251231.000000' },
  status: { phase: 'success', artifact },
});

it.each<[string, Build, boolean]>([
  ['the same bytes that were built', twin, true],
  [
    'the same bytes of another provider',
    { ...twin, spec: { ...twin.spec, provider: 'box' } },
    false,
  ],
  [
    'other bytes',
    { ...twin, spec: { ...twin.spec, source: { digest: artifact.digest, size: 1 } } },
    false,
  ],
  ['a build that failed', { ...twin, status: { phase: 'failed', artifact } }, false],
  ['a build without an artifact', { ...twin, status: { phase: 'success' } }, false],
])('detects a twin: %s', async (_name, other, want) => {
  const { seen } = await look({ builds: [aBuild(), other] });
  expect(seen?.twin !== undefined).toBe(want);
});

it('detects no twin without its code, so that a new push builds again', async () => {
  const { seen } = await look({ builds: [aBuild(), twin], lost: true });
  expect(seen?.twin).toBeUndefined();
});

it('counts running builds, and earlier queued ones', async () => {
  const at = (second: number, phase?: 'pending' | 'building' | 'success') =>
    aBuild({
      spec: { version: `20260101.00000${second}` },
      ...(phase === undefined ? {} : { status: { phase } }),
    });
  const going = aBuild({
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', namespace },
    spec: { version: '20260101.000002' },
  });
  const all = [at(0, 'success'), at(1, 'pending'), going, at(3), at(4), at(5), at(6, 'building')];
  const { seen } = await look({ builds: all }, at(4));
  expect(seen).toMatchObject({ running: 1, ahead: 2 });
});
