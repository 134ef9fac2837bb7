// Certificates of pods that serve while the wanted version may not be applied, or does not become ready.
import { expect, it } from 'vitest';
import { providerFinalizer } from '../../../../src/crds/provider.ts';
import { certificateAnnotation } from '../../../../src/providers/workloads/serving-certificate.ts';
import { decide } from '../../../../src/reconcilers/deployment/decide.ts';
import type { Observed } from '../../../../src/reconcilers/deployment/observe.ts';
import type { Deployment } from '../../../../src/reconcilers/workloads.ts';
import { annotation, label } from '../../../../src/store/kinds.ts';
import {
  aBuild,
  aDeployment,
  aProvider,
  aServingPod,
  nothingElse,
  version,
} from '../../../support/fixtures/workloads/workload-builders.ts';

const now = new Date('2026-03-01T00:00:00Z');
const newer = '20260102.000000';
const soon = '2026-03-15T00:00:00.000Z';
const fresh = '2026-05-25T00:00:00.000Z';
const past = '2026-02-01T00:00:00.000Z';
const built = aBuild({
  status: { phase: 'success', artifact: { digest: `sha256:${'a'.repeat(64)}`, size: 1 } },
});
const organization = { spec: { externalId: 'acme' } } as Observed['organization'];
const suspended = { spec: { externalId: 'acme', suspended: true } } as Observed['organization'];
const late = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];

const signed = (expiresAt: string, authority = 'ours') => ({
  [certificateAnnotation.authority]: authority,
  [certificateAnnotation.expiresAt]: expiresAt,
});

const pod = (expiresAt: string) => aServingPod({ metadata: { annotations: signed(expiresAt) } });

function running(
  expiresAt: string,
  { of = version, madeFrom = 'wanted', isLate = false, authority = 'ours' } = {},
): Deployment {
  const found = aDeployment({});
  return {
    ...found,
    metadata: { ...found.metadata, annotations: { [annotation.manifest]: madeFrom } },
    spec: {
      replicas: 1,
      template: {
        metadata: { labels: { [label.version]: of }, annotations: signed(expiresAt, authority) },
      },
    },
    status: {
      observedGeneration: found.metadata.generation ?? 1,
      ...(isLate && { conditions: late }),
    },
  };
}

const wanting = (wanted: string) =>
  aProvider({
    metadata: { finalizers: [providerFinalizer] },
    spec: { version: wanted },
    status: { deployedVersion: version },
  });
const failing = { of: newer, isLate: true };

interface Case {
  readonly reason: string;
  readonly observed: Partial<Observed>;
  readonly want: object;
}

const cases: Record<string, Case> = {
  'renews while the organization is suspended': {
    reason: 'Its pods serve deletions, and everything else when it is resumed.',
    observed: { organization: suspended, deployment: running(soon, { madeFrom: 'before' }) },
    want: { do: 'renew' },
  },
  'renews what has expired already, after the installation was off': {
    reason: 'Nobody else will.',
    observed: { organization: suspended, deployment: running(past, { madeFrom: 'before' }) },
    want: { do: 'renew' },
  },
  'leaves a suspended organization alone while its certificates are valid for long': {
    reason: 'Nothing new starts in it.',
    observed: { organization: suspended, deployment: running(fresh, { madeFrom: 'before' }) },
    want: { do: 'explain', progress: { reason: 'Suspended' } },
  },
  'renews while the Build of a newer version is missing': {
    reason: 'The version before serves.',
    observed: { provider: wanting(newer), build: undefined, deployment: running(soon) },
    want: { do: 'renew' },
  },
  'renews for another authority while a Build is missing': {
    reason: 'The old one may not be trusted for long.',
    observed: { build: undefined, deployment: running(fresh, { authority: 'other' }) },
    want: { do: 'renew' },
  },
  'renews nothing without guards': {
    reason: 'No pod is created in a namespace that lacks them.',
    observed: { organization: suspended, deployment: running(soon), unguarded: 'No quota' },
    want: { do: 'explain' },
  },
  'applies the serving version when a newer one is late': {
    reason: 'Its pods have no other way to get a certificate.',
    observed: {
      provider: wanting(newer),
      deployment: running(fresh, failing),
      serving: built,
      pods: [pod(soon)],
    },
    want: { do: 'renewServing' },
  },
  'lets a newer version start first': {
    reason: 'It replaces the old pods within minutes.',
    observed: {
      provider: wanting(newer),
      deployment: running(fresh, { of: newer }),
      serving: built,
      pods: [pod(soon)],
    },
    want: { do: 'explain' },
  },
  'leaves the serving version alone while its certificates are valid for long': {
    reason: 'The newer one may become ready.',
    observed: {
      provider: wanting(newer),
      deployment: running(fresh, failing),
      serving: built,
      pods: [pod(fresh)],
    },
    want: { do: 'explain' },
  },
  'cannot apply a serving version without its Build': {
    reason: 'Its code is not known.',
    observed: {
      provider: wanting(newer),
      deployment: running(fresh, failing),
      serving: undefined,
      pods: [pod(soon)],
    },
    want: { do: 'explain' },
  },
  'waits until the serving version is renewed': {
    reason: 'The newer one would end its rollout.',
    observed: {
      provider: wanting(newer),
      deployment: running(fresh, { madeFrom: 'before' }),
      serving: built,
      pods: [pod(soon)],
    },
    want: { do: 'nothing' },
  },
  'goes on with the newer version after the renewal': {
    reason: 'It is wanted.',
    observed: {
      provider: wanting(newer),
      deployment: running(fresh, { madeFrom: 'before' }),
      serving: built,
      pods: [pod(fresh)],
    },
    want: { do: 'apply' },
  },
  'goes on with the newer version when the renewal is late as well': {
    reason: 'It may be the one that can start.',
    observed: {
      provider: wanting(newer),
      deployment: running(fresh, { madeFrom: 'before', isLate: true }),
      serving: built,
      pods: [pod(soon)],
    },
    want: { do: 'apply' },
  },
  'does not delay a first attempt of a newer version': {
    reason: 'Its pods get certificates of their own.',
    observed: {
      provider: wanting(newer),
      deployment: running(soon, { madeFrom: 'before' }),
      serving: built,
      pods: [pod(soon)],
    },
    want: { do: 'apply' },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  const whole: Observed = {
    provider: wanting(version),
    organization,
    build: built,
    deployment: undefined,
    ...nothingElse,
    ...observed,
  };
  const given = { manifest: 'wanted', certificates: { authority: 'ours' }, now };
  expect(decide(whole, given), reason).toMatchObject(want);
});
