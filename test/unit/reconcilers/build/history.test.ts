import { expect, it } from 'vitest';
import type { Build } from '../../../../src/crds/build.ts';
import type { Provider } from '../../../../src/crds/provider.ts';
import type { DeleteOptions, KindRef, ObjectRef } from '../../../../src/kube/api.ts';
import { KubeError } from '../../../../src/kube/errors.ts';
import { trimHistory } from '../../../../src/reconcilers/build/index.ts';
import {
  aBuild,
  aProvider,
  namespace,
} from '../../../support/fixtures/workloads/workload-builders.ts';

type Phase = NonNullable<Build['status']>['phase'];

const versionOf = (number: number) => `20260101.${String(number).padStart(6, '0')}`;
const numbered = (number: number, phase: Phase | undefined, provider = 'shop') =>
  aBuild({
    spec: { version: versionOf(number), provider },
    ...(phase === undefined ? {} : { status: { phase } }),
  });
const many = (count: number, phase: Phase | undefined, provider?: string) =>
  Array.from({ length: count }, (_, index) => numbered(index, phase, provider));

/** Numbers of the versions that were removed, in the order they were. */
async function removed(builds: readonly Build[], provider?: Provider): Promise<readonly number[]> {
  const gone: { ref: ObjectRef; options: DeleteOptions | undefined }[] = [];
  await trimHistory(aBuild(), {
    client: {
      delete: (_kind, ref, options) => {
        gone.push({ ref, options });
        return Promise.resolve(true);
      },
      get: <T>(kind: KindRef, ref: ObjectRef) => {
        const isIt = kind.kind === 'Provider' && ref.namespace === namespace && ref.name === 'shop';
        return isIt && provider !== undefined
          ? Promise.resolve(provider as T)
          : Promise.reject(new KubeError({ reason: 'notFound', message: 'none' }));
      },
    },
    // A cache has no order.
    builds: { items: () => [...builds].reverse() },
  });
  return gone.map(({ ref, options }) => {
    const build = builds.find(({ metadata }) => metadata.name === ref.name);
    expect(options?.uid, 'A build of the same name may be another one').toBe(build?.metadata.uid);
    return Number(build?.spec.version.slice(-6));
  });
}

const cases: Record<
  string,
  { reason: string; builds: readonly Build[]; provider?: Provider; want: readonly number[] }
> = {
  'keeps ten builds of each result': {
    reason: 'Successful builds must not displace failed ones.',
    builds: [...many(10, 'success'), ...many(10, 'failed', 'shop').map(later)],
    want: [],
  },
  'removes the oldest beyond ten': {
    reason: 'The newest builds are the relevant ones.',
    builds: many(13, 'success'),
    want: [2, 1, 0],
  },
  'removes the oldest failures beyond ten': {
    reason: 'Repeated failing pushes must not fill the namespace.',
    builds: many(12, 'failed'),
    want: [1, 0],
  },
  'never removes an unfinished build': {
    reason: 'It is still in progress.',
    builds: [
      ...many(6, undefined),
      ...many(20, 'building').slice(6),
      ...many(40, 'pending').slice(20),
    ],
    want: [],
  },
  'keeps the builds of other providers': {
    reason: 'Each provider has its own history.',
    builds: many(12, 'success', 'box'),
    want: [],
  },
  'keeps the wanted, the running and the previous version': {
    reason: 'New pods fetch the code of these versions, and a rollback needs it.',
    builds: many(16, 'success'),
    provider: aProvider({
      spec: { version: versionOf(2) },
      status: { deployedVersion: versionOf(1), previousVersion: versionOf(0) },
    }),
    want: [5, 4, 3],
  },
};

function later(build: Build): Build {
  const version = build.spec.version.replace('.0', '.1');
  return aBuild({ spec: { version }, ...(build.status && { status: build.status }) });
}

it.each(Object.entries(cases))('%s', async (_name, { reason, builds, provider, want }) => {
  expect(await removed(builds, provider), reason).toEqual(want);
});
