// What a deployment reconciler decides about the types of a provider in deletion.
import { expect, it } from 'vitest';
import { providerFinalizer } from '../../../../src/crds/provider.ts';
import { decide } from '../../../../src/reconcilers/deployment/decide.ts';
import type { Observed } from '../../../../src/reconcilers/deployment/observe.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import {
  aBuild,
  aDeployment,
  aProvider,
  artifact,
  nothingElse,
  version,
} from '../../../support/fixtures/workloads/workload-builders.ts';

const manifest = 'as-it-should-be';
const deletionTimestamp = '2026-01-01T00:00:00Z';
const before = '20250101.000000';
const aType = { resource: 'crate', description: 'A crate' };
const replaced = {
  metadata: { name: 'box-crate' },
  spec: { ...aType, provider: 'box', providerVersion: before, next: { ...aType, version } },
};

const leaving = (deployedVersion: string) =>
  aProvider({
    metadata: { finalizers: [providerFinalizer], deletionTimestamp },
    spec: { version },
    status: { deployedVersion },
  });

function running() {
  const found = aDeployment({});
  const annotations = { [annotation.manifest]: manifest };
  return { ...found, metadata: { ...found.metadata, annotations }, spec: { replicas: 1 } };
}

const table: Record<string, { reason: string; observed: Partial<Observed> }> = {
  'starts no version whose types are not stored yet': {
    reason: 'The types would stay when the Provider is gone, and be in force without it.',
    observed: { provider: leaving(before) },
  },
  'settles no types': {
    reason: 'They are in force without it, and go with the Provider.',
    observed: { provider: leaving(version), definitions: [replaced] },
  },
};

it.each(Object.entries(table))('in a deletion it %s', (_name, { reason, observed }) => {
  const whole: Observed = {
    ...nothingElse,
    organization: {
      metadata: { name: 'fl-acme-0123456789ab' },
      spec: { issuer: 'https://issuer.test', externalId: 'acme' },
    } as Observed['organization'],
    build: aBuild({ status: { phase: 'success', artifact, types: [aType] } }),
    deployment: running(),
    hasResources: true,
    ...observed,
  } as Observed;
  const given = { manifest, certificates: { authority: 'a' }, now: new Date(deletionTimestamp) };
  expect(decide(whole, given as Parameters<typeof decide>[1]), reason).toMatchObject({
    do: 'explain',
  });
});
