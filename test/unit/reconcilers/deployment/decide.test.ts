import { expect, it } from 'vitest';
import { providerFinalizer } from '../../../../src/crds/provider.ts';
import type { Applied } from '../../../../src/reconcilers/deployment/applied.ts';
import { decide } from '../../../../src/reconcilers/deployment/decide.ts';
import type { Deployment, Observed } from '../../../../src/reconcilers/deployment/observe.ts';
import { annotation } from '../../../../src/store/kinds.ts';
import { aBuild, aDeployment, aProvider, version } from '../../../support/workload-builders.ts';

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

/** What was applied, and answered with `running()`. */
function aWrite(changes: Partial<Applied> = {}): Applied {
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

const cases: Record<string, Case> = {
  'keeps a provider that is being deleted while it has resources': {
    reason: 'Only it can delete what it made.',
    observed: { provider: leaving, hasResources: true, deployment: running() },
    want: { do: 'explain' },
  },
  'still makes its Deployment meanwhile': {
    reason: 'Somebody may have deleted that too.',
    observed: { provider: leaving, hasResources: true, deployment: undefined },
    want: { do: 'apply' },
  },
  'lets it go with the last resource': {
    reason: 'Nothing is left that would need it.',
    observed: { provider: leaving },
    want: { do: 'release' },
  },
  'lets a provider go at once that came to run elsewhere': {
    reason: 'Nobody knows whether it is still there.',
    observed: {
      provider: aProvider({ ...elsewhere, metadata: { ...kept, deletionTimestamp } }),
      hasResources: true,
    },
    want: { do: 'release' },
  },
  'leaves what it let go to others': {
    reason: 'Another finalizer may hold it.',
    observed: {
      provider: aProvider({
        metadata: { deletionTimestamp, finalizers: ['x/y'] },
        spec: { version },
      }),
    },
    want: { do: 'nothing' },
  },
  'protects a provider before it runs anything of it': {
    reason: 'One that was made with kubectl has no finalizer yet.',
    observed: { provider: aProvider({ spec: { version } }) },
    want: { do: 'protect' },
  },
  'removes the Deployment of a provider that runs elsewhere now': {
    reason: 'Its pods would be sent nothing.',
    observed: { provider: elsewhere, deployment: running() },
    want: { do: 'remove' },
  },
  'waits for a Deployment that goes already': {
    reason: 'Deleting it twice makes it go no sooner.',
    observed: {
      provider: elsewhere,
      deployment: { ...running(), metadata: { ...running().metadata, deletionTimestamp } },
    },
    want: explained('ExternalEndpoint'),
  },
  'says that an endpoint answers': {
    reason: 'Who set it wants to know whether it is right.',
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
  'says that an endpoint does not answer, and why': {
    reason: 'Ready True would send people elsewhere to look.',
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
  'leaves what an earlier process found of an endpoint': {
    reason: 'A new leader has seen no delivery yet.',
    observed: { provider: recorded('Unreachable'), deployment: undefined },
    want: { do: 'nothing' },
  },
  '[upgrade] leaves what version 0.1.0 said of an endpoint': {
    reason: 'Nothing else was seen yet.',
    observed: { provider: recorded('ExternalEndpoint'), deployment: undefined },
    want: { do: 'nothing' },
  },
  'begins anew when the endpoint is another one': {
    reason: 'What was found is of the one before.',
    observed: {
      provider: { ...recorded('Unreachable'), metadata: { ...elsewhere.metadata, generation: 2 } },
      deployment: undefined,
      reach: { ...reach(false), url: 'http://127.0.0.1:9999' },
    },
    want: explained('ExternalEndpoint'),
  },
  'names an endpoint that cannot take events': {
    reason: 'The administrator who wrote it can mend it.',
    observed: {
      provider: aProvider({ spec: { endpoint: 'http://169.254.169.254/' } }),
      deployment: undefined,
    },
    want: explained('InvalidEndpoint'),
  },
  'says that nothing is deployed': {
    reason: 'Neither a version nor an endpoint.',
    observed: { provider: aProvider({ spec: {} }), deployment: undefined },
    want: explained('NotDeployed'),
  },
  'runs nothing in a namespace of nobody': {
    reason: 'Its pods could not be told whose events to take.',
    observed: { organization: undefined },
    want: explained('NoOrganization'),
  },
  'runs nothing that was not built with success': {
    reason: 'What runs already goes on running.',
    observed: { build: aBuild({ status: { phase: 'failed' } }), deployment: running('older') },
    want: explained('BuildMissing'),
  },
  'makes the Deployment of a version': {
    reason: 'There is none.',
    observed: { deployment: undefined },
    want: { do: 'apply' },
  },
  '[K04] makes nothing in a namespace that is not guarded': {
    reason: 'The code of a tenant runs behind its guards, or not at all.',
    observed: {
      deployment: undefined,
      unguarded: 'limitRange fairlead is missing or was modified',
    },
    want: explained('GuardsMissing'),
  },
  '[K06] leaves what runs alone while a guard is put back': {
    reason: 'A moment without a guard must not read as trouble with the version.',
    observed: { unguarded: 'limitRange fairlead is missing or was modified' },
    want: { do: 'explain', progress: { reason: 'Available' } },
  },
  'deploys nothing for a suspended organization': {
    reason: 'It is cut off; what runs stays.',
    observed: { deployment: undefined, organization: suspended },
    want: explained('Suspended'),
  },
  'changes the Deployment when it was made from another manifest': {
    reason: 'Another version, or addresses and an image that are not those of today.',
    observed: { deployment: running('older') },
    want: { do: 'apply' },
  },
  'puts back the number of pods': {
    reason: 'The Provider says how many.',
    observed: { deployment: running(manifest, 3) },
    want: { do: 'apply' },
  },
  'takes the answer to what it applied for what it applied': {
    reason: 'A webhook took the annotation off, and would do so again.',
    observed: { deployment: running('taken'), applied: aWrite() },
    want: { do: 'explain' },
  },
  'applies again what somebody changed since': {
    reason: 'Another generation is another spec.',
    observed: { deployment: running(manifest, 3), applied: aWrite({ generation: 1 }) },
    want: { do: 'apply' },
  },
  'applies again what somebody deleted since': {
    reason: 'The answer was of another object.',
    observed: { deployment: running('taken'), applied: aWrite({ uid: 'another' }) },
    want: { do: 'apply' },
  },
  'does not apply at once again what it applied a moment ago': {
    reason: 'The cache is behind, or somebody undoes every write.',
    observed: { deployment: undefined, applied: aWrite({ waitMs: 700 }) },
    want: { do: 'wait', ms: 700 },
  },
  'applies another manifest at once': {
    reason: 'Only what is repeated waits.',
    observed: { deployment: running('older'), applied: aWrite({ manifest: 'older', waitMs: 700 }) },
    want: { do: 'apply' },
  },
  'writes nothing when all is as it should be': {
    reason: 'What is left is to say how far it has come.',
    observed: {},
    want: { do: 'explain' },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  const whole: Observed = {
    provider: hosted,
    organization,
    build: built,
    deployment: running(),
    applied: undefined,
    pods: [],
    hasResources: false,
    unguarded: undefined,
    reach: undefined,
    ...observed,
  };
  expect(decide(whole, { manifest, now: new Date(deletionTimestamp) }), reason).toMatchObject(want);
});
