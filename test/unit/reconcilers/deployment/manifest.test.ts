// Changes that replace the pods of a provider: those of the manifest, and the key of their tokens.
import { expect, it } from 'vitest';
import {
  type ManifestDeps,
  manifestText,
} from '../../../../src/reconcilers/deployment/manifest.ts';
import type { Observed } from '../../../../src/reconcilers/deployment/observe.ts';
import { unsignedCertificates } from '../../../support/fixtures/authority.ts';
import {
  aBuild,
  aProvider,
  version,
} from '../../../support/fixtures/workloads/workload-builders.ts';

const digest = `sha256:${'a'.repeat(64)}` as const;
const observed = {
  provider: aProvider({ spec: { version } }),
  build: aBuild({ status: { phase: 'success', artifact: { digest, size: 1 } } }),
} as Observed;
const deps: ManifestDeps = {
  image: 'fairlead:1',
  artifactsUrl: 'http://fairlead:8002',
  fairleadUrl: 'http://fairlead:8000',
  keyId: 'a',
  minReadySeconds: 10,
  certificates: unsignedCertificates,
  clock: { now: () => new Date('2026-01-01T00:00:00Z') },
};

it('is constant without differences', () => {
  expect(manifestText(observed, { ...deps })).toBe(manifestText(observed, deps));
});

it('depends on the longest limit of the types, when that is longer than the default', () => {
  const withTypes = (...limits: readonly (number | undefined)[]) => {
    const types = limits.map((timeoutSeconds, at) => ({
      resource: `type${at}`,
      description: '',
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    }));
    const status = { ...observed.build?.status, types };
    return manifestText({ ...observed, build: { ...observed.build, status } } as Observed, deps);
  };
  expect(withTypes(10, undefined, 30)).toBe(manifestText(observed, deps));
  expect(withTypes(10, 900)).not.toBe(manifestText(observed, deps));
  expect(withTypes(10, 900)).toBe(withTypes(undefined, 900));
});

const changes: Readonly<Record<string, Partial<ManifestDeps>>> = {
  'another image': { image: 'fairlead:2' },
  'another minimum ready time': { minReadySeconds: 5 },
  'another address': { artifactsUrl: 'http://elsewhere:8002' },
  // Their tokens open nothing any more, which shows only when a pod is moved.
  'another key': { keyId: 'b' },
  'another authority': { certificates: { ...unsignedCertificates, signing: 'b'.repeat(64) } },
  'a runtime class': { scheduling: { runtimeClassName: 'gvisor' } },
  'another day, without a Deployment': {
    clock: { now: () => new Date('2026-01-02T00:00:00Z') },
  },
};

it('puts the settings of the administrator and the size into the pods', () => {
  const differs = (spec: object) => {
    const provider = aProvider({ spec: { version, ...spec } });
    return manifestText({ ...observed, provider }, deps) !== manifestText(observed, deps);
  };
  expect(differs({ resources: { limits: { memory: '1Gi' } } })).toBe(true);
  expect(differs({ resources: {} }), 'Without the field').toBe(false);
  expect(differs({ replicas: 1 }), 'The default').toBe(false);
});

it.each(Object.entries(changes))('differs with %s', (_name, change) => {
  expect(manifestText(observed, { ...deps, ...change })).not.toBe(manifestText(observed, deps));
});
