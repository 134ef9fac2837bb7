import { expect, it } from 'vitest';
import type { Build } from '../../../../src/crds/build.ts';
import type { KubeObject } from '../../../../src/kube/api.ts';
import {
  incompleteKind,
  type ReferenceCaches,
  referencedDigests,
} from '../../../../src/reconcilers/artifacts/index.ts';
import { kinds } from '../../../../src/store/kinds.ts';
import { objectCache } from '../../../support/fixtures/object-cache.ts';
import { aBuild } from '../../../support/fixtures/workloads/workload-builders.ts';

const digest = (digit: string) => `sha256:${digit.repeat(64)}` as const;
const complete = { kind: kinds.build, synced: true, interrupted: false, silentMs: 0 };

function cachesOf(given: Partial<Record<keyof ReferenceCaches, object>> = {}): ReferenceCaches {
  const empty = () => ({ ...objectCache<KubeObject>(), ...complete });
  const caches = { builds: empty(), pods: empty(), jobs: empty(), deployments: empty() };
  return { ...caches, ...given } as unknown as ReferenceCaches;
}

function holding(...objects: readonly object[]) {
  return { ...objectCache(...(objects as readonly KubeObject[])), ...complete };
}

const named = (name: string) => ({ metadata: { name, namespace: 'fl-a' } });

it('finds source, code and log of a build', async () => {
  const build: Build = aBuild({
    spec: { source: { digest: digest('1'), size: 1 } },
    status: { phase: 'success', artifact: { digest: digest('2'), size: 1 }, log: digest('3') },
  });
  const found = await referencedDigests(cachesOf({ builds: holding(build) }));
  expect(found).toEqual(new Set([digest('1'), digest('2'), digest('3')]));
});

it('does not read schemas', async () => {
  const schema = { description: digest('4') };
  const build = aBuild({
    spec: { source: { digest: digest('1'), size: 1 } },
    status: { phase: 'success', types: [{ resource: 'a', description: '', schema }] } as never,
  });
  const found = await referencedDigests(cachesOf({ builds: holding(build) }));
  expect(found).toEqual(new Set([digest('1')]));
});

it('finds what pods, Jobs and Deployments fetch, and what a pod has reported', async () => {
  const fetching = (text: string) => ({
    ...named(text.slice(-3)),
    spec: { initContainers: [{ args: ['unpack', '--digest', text] }] },
  });
  const message = `{"artifact":{"digest":"${digest('8')}","size":1}}`;
  const reporting = {
    ...named('reporting'),
    status: { containerStatuses: [{ state: { terminated: { message } } }] },
  };
  const found = await referencedDigests(
    cachesOf({
      pods: holding(fetching(digest('5')), reporting),
      jobs: holding(fetching(digest('6'))),
      deployments: holding(fetching(digest('7'))),
    }),
  );
  expect(found).toEqual(new Set(['5', '6', '7', '8'].map(digest)));
});

it.each([
  { reason: 'the first list is not read', lacking: { synced: false } },
  { reason: 'its watch is interrupted', lacking: { interrupted: true } },
  { reason: 'the API server has been silent', lacking: { silentMs: 300_001 } },
])('names a cache that may lack objects: $reason', ({ lacking }) => {
  expect(incompleteKind(cachesOf())).toBeUndefined();
  const jobs = { ...holding(), kind: { ...kinds.build, kind: 'Job' }, ...lacking };
  expect(incompleteKind(cachesOf({ jobs }))).toBe('Job');
});
