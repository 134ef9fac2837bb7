import { expect, it } from 'vitest';
import { organizationOf } from '../../../../src/domain/identity.ts';
import { limitRange } from '../../../../src/reconcilers/organization/amounts.ts';
import { decide, namespaceAnnotations } from '../../../../src/reconcilers/organization/decide.ts';
import { namespaceLabels } from '../../../../src/reconcilers/organization/guards.ts';
import type { Observed } from '../../../../src/reconcilers/organization/observe.ts';

const { namespace: name } = organizationOf('https://issuer', 'acme');
const organization = { metadata: { name }, spec: { issuer: 'https://issuer', externalId: 'acme' } };
const namespace = {
  metadata: {
    name,
    labels: namespaceLabels(),
    annotations: namespaceAnnotations({ organization }),
  },
};
const defaultProject = {
  metadata: { name: 'default' },
  spec: { projectId: 'default', displayName: 'default' },
} as Observed['defaultProject'];

const whole: Observed = { organization, namespace, missingGuards: [], defaultProject };

const cases = {
  'makes the namespace of a new organization': {
    reason: 'Everything else lives in it.',
    observed: { ...whole, namespace: undefined, defaultProject: undefined },
    want: { do: 'createNamespace' },
  },
  'never adopts a namespace without our annotations': {
    reason: 'Somebody else made it.',
    observed: { ...whole, namespace: { metadata: { name, labels: namespaceLabels() } } },
    want: { do: 'explain', ready: false, reason: 'NamespaceTaken' },
  },
  'never adopts a namespace of another organization with the same hash': {
    reason: 'The name holds twelve digits of a hash only.',
    observed: {
      ...whole,
      namespace: {
        metadata: {
          ...namespace.metadata,
          annotations: {
            ...namespace.metadata.annotations,
            'fairlead.dev/organization-id': 'other',
          },
        },
      },
    },
    want: { do: 'explain', ready: false, reason: 'NamespaceTaken' },
  },
  'waits until a namespace that is going has gone': {
    reason: 'Nothing can be made in it.',
    observed: {
      ...whole,
      namespace: { metadata: { ...namespace.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    },
    want: { do: 'waitForNamespace' },
  },
  'restores a Pod Security label that somebody took away': {
    reason: 'No workload may run without it.',
    observed: { ...whole, namespace: { metadata: { ...namespace.metadata, labels: {} } } },
    want: { do: 'repairNamespace' },
  },
  '[K06] puts a guard back that somebody took away': {
    reason: 'No workload may run without it.',
    observed: { ...whole, missingGuards: [limitRange()], defaultProject: undefined },
    want: { do: 'putGuards', guards: [{ of: 'limitRange', name: 'fairlead' }] },
  },
  'seeds the default project': {
    reason: 'Resources belong to exactly one.',
    observed: { ...whole, defaultProject: undefined },
    want: { do: 'createDefaultProject' },
  },
  'announces that all is there': {
    reason: 'The first request waits for it.',
    observed: whole,
    want: { do: 'explain', ready: true, reason: 'Provisioned' },
  },
  'refuses an Organization made by hand under another name': {
    reason: 'Its requests would look for another namespace.',
    observed: { ...whole, organization: { ...organization, metadata: { name: 'fl-mine' } } },
    want: {
      do: 'explain',
      ready: false,
      reason: 'InvalidName',
      message: expect.stringContaining(name),
    },
  },
};

it.each(Object.entries(cases))('%s', (_name, { reason, observed, want }) => {
  expect(decide(observed), reason).toMatchObject(want);
});
