import { expect, it } from 'vitest';
import { providerFinalizer } from '../../../../src/crds/provider.ts';
import type { AppliedManifest } from '../../../../src/reconcilers/deployment/applied.ts';
import { decide } from '../../../../src/reconcilers/deployment/decide.ts';
import type { Observed } from '../../../../src/reconcilers/deployment/observe.ts';
import type { Deployment } from '../../../../src/reconcilers/workloads.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import {
  aBuild,
  aDeployment,
  aProvider,
  nothingElse,
  version,
} from '../../../support/fixtures/workloads/workload-builders.ts';

const manifest = 'as-it-should-be';
const deletionTimestamp = '2026-01-01T00:00:00Z';
const kept = { finalizers: [providerFinalizer] };
const hosted = aProvider({ metadata: kept, spec: { version } });
const leaving = aProvider({ metadata: { ...kept, deletionTimestamp }, spec: { version } });
const elsewhere = aProvider({ spec: { endpoint: 'http://127.0.0.1:8080' } });
const built = aBuild({
  status: { phase: 'success', artifact: { digest: `sha256:${'a'.repeat(64)}`, size: 1 } },
});

function running(madeFrom = manifest, replicas = 1): Deployment {
  const found = aDeployment({});
  const annotations = { [annotation.manifest]: madeFrom };
  return { ...found, metadata: { ...found.metadata, annotations }, spec: { replicas } };
}

/** The applied Deployment, whose response is `running()`. */
function aWrite(changes: Partial<AppliedManifest> = {}): AppliedManifest {
  const { uid, generation } = running().metadata;
  return { manifest, uid, generation, waitMs: 0, ...changes };
}

const organization = {
  metadata: { name: 'fl-acme-0123456789ab' },
  spec: { issuer: 'https://issuer.test', externalId: 'acme' },
} as Observed['organization'];

const suspended = {
  ...organization,
  spec: { ...organization?.spec, suspended: true },
} as Observed['organization'];

const explained = (reason: string) => ({ do: 'explain', progress: { reason } });

const reach = (answers: boolean) => ({
  url: 'http://127.0.0.1:8080',
  answers,
  since: new Date(deletionTimestamp),
  cause: 'connection refused',
});

const recorded = (reason: string) =>
  aProvider({
    spec: elsewhere.spec,
    status: {
      observedGeneration: 1,
      conditions: [
        {
          type: 'Ready',
          status: reason === 'Unreachable' ? 'False' : 'True',
          reason,
          message: '',
          lastTransitionTime: deletionTimestamp,
        },
      ],
    },
  });

interface Case {
  readonly reason: string;
  readonly observed: Partial<Observed>;
  readonly want: object;
}

const schema = {
  type: 'object',
  properties: { url: { type: 'string' }, token: { type: 'string' }, region: {} },
  required: ['url', 'token'],
};
const withSettings = aBuild({ status: { ...built.status, settings: schema } });
const entries = ['url', 'token'].map((name) => ({
  name,
  sensitive: true,
  setAt: deletionTimestamp,
  setBy: 'ann',
}));
const secret = 'provider-shop-settings-12345678';
const withSet = (count: number) =>
  aProvider({
    metadata: kept,
    spec: {
      version,
      settings: { secret, revision: 'r1', values: {}, entries: entries.slice(0, count) },
    },
  });

const cases: Record<string, Case> = {
  'leaves the running version alone while required settings are missing': {
    reason: 'Its pods could not start.',
    observed: { provider: withSet(1), build: withSettings, deployment: running('before') },
    want: {
      do: 'explain',
      progress: {
        state: 'failed',
        reason: 'SettingsMissing',
        message: expect.stringMatching(/not set: token; .* settings set --provider shop token$/),
      },
    },
  },
  'deploys when they are set': {
    reason: 'Setting the last one triggers the pass.',
    observed: { provider: withSet(2), build: withSettings, deployment: running('before') },
    want: { do: 'apply' },
  },
  'leaves settings that others keep to the pods': {
    reason: 'Fairlead has no right to look into the Secret.',
    observed: {
      provider: aProvider({ metadata: kept, spec: { version, settingsSecret: 'shop-vault' } }),
      build: withSettings,
      deployment: running('before'),
    },
    want: { do: 'apply' },
  },
  'keeps a provider in deletion while it has resources': {
    reason: 'Only the provider can delete what it created.',
    observed: { provider: leaving, hasResources: true, deployment: running() },
    want: { do: 'explain' },
  },
  'keeps its Deployment meanwhile': {
    reason: 'The Deployment may have been deleted as well.',
    observed: { provider: leaving, hasResources: true, deployment: undefined },
    want: { do: 'apply' },
  },
  'releases it with the last resource': {
    reason: 'No resource needs it.',
    observed: { provider: leaving },
    want: { do: 'release' },
  },
  'releases at once a provider that runs elsewhere now': {
    reason: 'An external provider may no longer exist.',
    observed: {
      provider: aProvider({ ...elsewhere, metadata: { ...kept, deletionTimestamp } }),
      hasResources: true,
    },
    want: { do: 'release' },
  },
  'ignores a released provider': {
    reason: 'Another finalizer may keep it.',
    observed: {
      provider: aProvider({
        metadata: { deletionTimestamp, finalizers: ['x/y'] },
        spec: { version },
      }),
    },
    want: { do: 'nothing' },
  },
  'adds the finalizer before it runs anything': {
    reason: 'A Provider created with kubectl has no finalizer.',
    observed: { provider: aProvider({ spec: { version } }) },
    want: { do: 'protect' },
  },
  'removes the Deployment of a provider that runs elsewhere now': {
    reason: 'Its pods would receive no events.',
    observed: { provider: elsewhere, deployment: running() },
    want: { do: 'remove' },
  },
  'waits for the deletion of a Deployment': {
    reason: 'A second delete has no effect.',
    observed: {
      provider: elsewhere,
      deployment: { ...running(), metadata: { ...running().metadata, deletionTimestamp } },
    },
    want: explained('ExternalEndpoint'),
  },
  'reports that an endpoint responds': {
    reason: 'The condition shows whether the endpoint is correct.',
    observed: { provider: elsewhere, deployment: undefined, reach: reach(true) },
    want: {
      do: 'explain',
      progress: {
        state: 'available',
        reason: 'ExternalEndpoint',
        message: 'http://127.0.0.1:8080 has been reachable since 2026-01-01T00:00:00Z',
      },
    },
  },
  'reports that an endpoint does not respond, with the reason': {
    reason: 'Ready=True would hide the cause.',
    observed: { provider: elsewhere, deployment: undefined, reach: reach(false) },
    want: {
      do: 'explain',
      progress: {
        state: 'failed',
        reason: 'Unreachable',
        message: 'Unreachable since 2026-01-01T00:00:00Z: connection refused',
      },
    },
  },
  'keeps the result of an earlier process for an endpoint': {
    reason: 'A new leader has no delivery results yet.',
    observed: { provider: recorded('Unreachable'), deployment: undefined },
    want: explained('Unreachable'),
  },
  'keeps the good result of an earlier process for an endpoint': {
    reason: 'A new leader has no delivery results yet.',
    observed: { provider: recorded('ExternalEndpoint'), deployment: undefined },
    want: explained('ExternalEndpoint'),
  },
  'starts over for another endpoint': {
    reason: 'The result belongs to the previous endpoint.',
    observed: {
      provider: { ...recorded('Unreachable'), metadata: { ...elsewhere.metadata, generation: 2 } },
      deployment: undefined,
      reach: { ...reach(false), url: 'http://127.0.0.1:9999' },
    },
    want: explained('ExternalEndpoint'),
  },
  'reports an endpoint that is not allowed': {
    reason: 'An administrator must correct it.',
    observed: {
      provider: aProvider({ spec: { endpoint: 'http://169.254.169.254/' } }),
      deployment: undefined,
    },
    want: explained('InvalidEndpoint'),
  },
  'reports that nothing is deployed': {
    reason: 'It has neither a version nor an endpoint.',
    observed: { provider: aProvider({ spec: {} }), deployment: undefined },
    want: explained('NotDeployed'),
  },
  'runs nothing in a namespace without an organization': {
    reason: 'Its pods would not have an organization to accept events for.',
    observed: { organization: undefined },
    want: explained('NoOrganization'),
  },
  'runs only successful builds': {
    reason: 'The running version is unchanged.',
    observed: { build: aBuild({ status: { phase: 'failed' } }), deployment: running('older') },
    want: explained('BuildMissing'),
  },
  'creates the Deployment of a version': {
    reason: 'The Deployment does not exist.',
    observed: { deployment: undefined },
    want: { do: 'apply' },
  },
  '[K04] creates nothing in a namespace without guards': {
    reason: 'Tenant code must not run without its guards.',
    observed: {
      deployment: undefined,
      unguarded: 'limitRange fairlead is missing or was modified',
    },
    want: explained('GuardsMissing'),
  },
  '[K06] keeps what runs while a guard is restored': {
    reason: 'A missing guard is not a failure of the version.',
    observed: { unguarded: 'limitRange fairlead is missing or was modified' },
    want: { do: 'explain', progress: { reason: 'Available' } },
  },
  'deploys nothing for a suspended organization': {
    reason: 'The running version is unchanged.',
    observed: { deployment: undefined, organization: suspended },
    want: explained('Suspended'),
  },
  'changes the Deployment when it was made from another manifest': {
    reason: 'The version, an address or the image has changed.',
    observed: { deployment: running('older') },
    want: { do: 'apply' },
  },
  'restores the number of replicas': {
    reason: 'The Provider sets the number.',
    observed: { deployment: running(manifest, 3) },
    want: { do: 'apply' },
  },
  'recognizes the response to its own apply': {
    reason: 'A webhook removes the annotation from each write.',
    observed: { deployment: running('taken'), applied: aWrite() },
    want: { do: 'explain' },
  },
  'applies again after a foreign change': {
    reason: 'Another generation has another spec.',
    observed: { deployment: running(manifest, 3), applied: aWrite({ generation: 1 }) },
    want: { do: 'apply' },
  },
  'applies again after a foreign deletion': {
    reason: 'The response was for another object.',
    observed: { deployment: running('taken'), applied: aWrite({ uid: 'another' }) },
    want: { do: 'apply' },
  },
  'does not repeat a recent apply at once': {
    reason: 'The cache is stale, or another client reverts every write.',
    observed: { deployment: undefined, applied: aWrite({ waitMs: 700 }) },
    want: { do: 'wait', ms: 700 },
  },
  'applies another manifest at once': {
    reason: 'Only a repeated apply waits.',
    observed: { deployment: running('older'), applied: aWrite({ manifest: 'older', waitMs: 700 }) },
    want: { do: 'apply' },
  },
  'writes nothing without a difference': {
    reason: 'Only the progress remains to be reported.',
    observed: {},
    want: { do: 'explain' },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  const usual = { provider: hosted, organization, build: built, deployment: running() };
  const whole: Observed = { ...usual, ...nothingElse, ...observed };
  const given = { manifest, certificates: { authority: 'a' }, now: new Date(deletionTimestamp) };
  expect(decide(whole, given), reason).toMatchObject(want);
});
