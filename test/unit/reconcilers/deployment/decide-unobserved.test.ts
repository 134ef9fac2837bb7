// What is reported before Kubernetes has observed the last write of a Deployment, such as another number of pods.
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
const written = aDeployment({ observedGeneration: 1 });

function decided(deployedVersion: string) {
  const metadata = { finalizers: [providerFinalizer] };
  return decide(
    {
      provider: aProvider({ metadata, spec: { version }, status: { deployedVersion } }),
      organization: { spec: {} } as Observed['organization'],
      build: aBuild({ status: { phase: 'success', artifact } }),
      deployment: {
        ...written,
        metadata: { ...written.metadata, annotations: { [annotation.manifest]: manifest } },
      },
      ...nothingElse,
    },
    { manifest, certificates: { authority: 'a' }, now: new Date('2026-01-01T00:00:00Z') },
  );
}

it('is nothing about a version that serves: it is not starting again', () => {
  expect(decided(version)).toEqual({ do: 'nothing' });
});

it('is that a version is starting that has not taken over', () => {
  expect(decided('20251231.000000')).toMatchObject({ progress: { reason: 'Progressing' } });
});
