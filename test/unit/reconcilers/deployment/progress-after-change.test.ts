// A version that has taken over and fails after something else was changed: what is to blame, and what is not.
import { expect, it } from 'vitest';
import type { Provider } from '../../../../src/crds/provider.ts';
import { rolloutProgress } from '../../../../src/reconcilers/deployment/progress.ts';
import type { Pod } from '../../../../src/reconcilers/workloads.ts';
import {
  aDeployment,
  aProvider,
  aServingPod,
  nothingElse,
  version,
} from '../../../support/fixtures/workloads/workload-builders.ts';

const now = new Date('2026-01-01T00:00:40Z');
const deployment = {
  ...aDeployment({ updatedReplicas: 1, availableReplicas: 0, readyReplicas: 0 }),
  spec: { replicas: 1, minReadySeconds: 10 },
};

const revision = (value: string) => ({ annotations: { 'fairlead.dev/settings-revision': value } });

/** Three crashes. @param readySince when it became ready again */
const crashed = (message: string, readySince?: string, metadata: object = {}): Pod =>
  aServingPod({
    metadata,
    status: {
      conditions:
        readySince === undefined
          ? []
          : [{ type: 'Ready', status: 'True', lastTransitionTime: readySince }],
      containerStatuses: [
        {
          name: 'provider',
          restartCount: 3,
          state: { running: {} },
          lastState: { terminated: { exitCode: 1, message } },
        },
      ],
    },
  });

const withTemplate = (metadata: object) => ({
  ...deployment,
  spec: { ...deployment.spec, template: { metadata } },
});

interface Given {
  readonly pod: Pod;
  /** When the setting `url` was set. */
  readonly setAt?: string;
  /** When the provider was last ready. */
  readonly unreadySince?: string;
  /** What new pods get. */
  readonly template?: { readonly annotations: Readonly<Record<string, string>> };
}

function progress({ pod, setAt, unreadySince, template }: Given) {
  const entry = { name: 'url', sensitive: false, setBy: 'ann' };
  const entries = setAt === undefined ? [] : [{ ...entry, setAt }];
  const provider = aProvider({
    spec: { version, settings: { secret: 'own', revision: 'r1', values: {}, entries } },
  });
  const unready = { type: 'Ready', status: 'False', reason: 'Progressing', message: '' } as const;
  const status: Provider['status'] = {
    deployedVersion: version,
    previousVersion: '20251231.000000',
    deployedAt: '2026-01-01T00:00:00Z',
    ...(unreadySince && { conditions: [{ ...unready, lastTransitionTime: unreadySince }] }),
  };
  return rolloutProgress(
    {
      ...nothingElse,
      ...{ organization: undefined, build: undefined, pods: [pod] },
      deployment: template === undefined ? deployment : withTemplate(template),
      provider: { ...provider, status },
    },
    now,
  );
}

const wrong = 'Provider shop cannot run: url does not fit';
const cases: Record<string, { reason: string; given: Given; want: object }> = {
  'a setting that was set since is to be corrected, and no code rolled back': {
    reason: 'An older version would get the same value, and may lack types that this one has.',
    given: { pod: crashed(wrong), setAt: '2026-01-01T00:00:30Z' },
    want: {
      state: 'failed',
      message: `Version ${version} failed 40 s after it took over: ${wrong}; url was set since, correct with: fairlead provider settings set --provider shop url`,
    },
  },
  'settings that do not work are to be corrected, whoever set them': {
    reason: 'An older version would get the same values.',
    given: { pod: crashed('Provider shop cannot run: the settings do not work: wrong password') },
    want: {
      message: `Version ${version} failed 40 s after it took over: Provider shop cannot run: the settings do not work: wrong password; correct with: fairlead provider settings set --provider shop NAME`,
    },
  },
  'a setting with which it was ready is not to blame': {
    reason: 'It has worked.',
    given: {
      pod: crashed('broken'),
      setAt: '2026-01-02T00:00:00Z',
      unreadySince: '2026-01-09T00:00:00Z',
    },
    want: { message: expect.stringContaining('; roll back with: fairlead rollback shop ') },
  },
  'a crash of before is no news when the pod is replaced': {
    reason: 'The pod is ready again, and the crash has nothing to do with the change.',
    given: { pod: crashed('broken', '2026-01-01T00:00:30Z') },
    want: { state: 'progressing', message: expect.not.stringContaining('broken') },
  },
  'a crash is one until its pod has been ready for the minimum time': {
    reason: 'A provider that crashes again and again is ready in between.',
    given: { pod: crashed('broken', '2026-01-01T00:00:31Z') },
    want: { state: 'failed', message: expect.stringContaining('broken') },
  },
  'a pod with the setting of before is no news, however it ends': {
    reason: 'The setting may have been set to repair it; the pod is being replaced.',
    given: {
      pod: crashed('broken', undefined, revision('r1')),
      setAt: '2026-01-01T00:00:30Z',
      template: revision('r2'),
    },
    want: { state: 'progressing', message: `New pods of version ${version} are starting` },
  },
  'a pod with the present setting is': {
    reason: 'It is what shall serve.',
    given: {
      pod: crashed('broken', undefined, revision('r2')),
      setAt: '2026-01-01T00:00:30Z',
      template: revision('r2'),
    },
    want: {
      state: 'failed',
      message: expect.stringContaining('; url was set since, correct with'),
    },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, given, want }) => {
  expect(progress(given), reason).toMatchObject(want);
});
