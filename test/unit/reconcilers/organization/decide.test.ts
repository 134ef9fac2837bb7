import { expect, it } from 'vitest';
import type { Organization } from '../../../../src/crds/organization.ts';
import { organizationOf } from '../../../../src/domain/identity.ts';
import { decide } from '../../../../src/reconcilers/organization/decide.ts';
import { limitRange, namespaceLabels } from '../../../../src/reconcilers/organization/guards.ts';
import type { Observed } from '../../../../src/reconcilers/organization/observe.ts';
import {
  namespaceAnnotations,
  ownershipRecord,
} from '../../../../src/reconcilers/organization/ownership.ts';

const { namespace: name } = organizationOf('https://issuer', 'acme');
const uid = 'uid-1';
const made = { metadata: { name }, spec: { issuer: 'https://issuer', externalId: 'acme' } };
const withStatus = (status: Organization['status']): Organization =>
  status === undefined ? made : { ...made, status };
const organization = withStatus({ namespaceUid: uid });
const conditionOf = (status: 'True' | 'False', reason: string) => ({
  type: 'Ready',
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const namespace = {
  metadata: {
    name,
    uid,
    labels: namespaceLabels(),
    annotations: namespaceAnnotations({ organization }),
  },
};
const defaultProject = {
  metadata: { name: 'default' },
  spec: { projectId: 'default', displayName: 'default' },
} as Observed['defaultProject'];

const whole: Observed = { organization, namespace, missingGuards: [], foreign: [], defaultProject };
const asked = (request: string) => ({
  metadata: {
    ...namespace.metadata,
    annotations: { ...namespace.metadata.annotations, 'fairlead.dev/request': request },
  },
});
const taken = { do: 'explain', ready: false, reason: 'NamespaceTaken' };

const cases = {
  'records the identity of the future namespace of a new organization': {
    reason: 'After a crash in between, the namespace must not look foreign.',
    observed: { ...whole, organization: made, namespace: undefined, defaultProject: undefined },
    want: { do: 'requestNamespace' },
  },
  'and then creates it': {
    reason: 'All other objects are created in it.',
    observed: {
      ...whole,
      organization: withStatus({ namespaceRequest: 'r-1' }),
      namespace: undefined,
      defaultProject: undefined,
    },
    want: { do: 'createNamespace' },
  },
  'records it again when the namespace was deleted': {
    reason: 'The new namespace has another uid.',
    observed: { ...whole, namespace: undefined },
    want: { do: 'requestNamespace' },
  },
  'continues with a namespace that it created before a crash': {
    reason: 'Its uid is not recorded yet, but only Fairlead can know the request id.',
    observed: {
      ...whole,
      organization: withStatus({ namespaceRequest: 'r-1' }),
      namespace: asked('r-1'),
      missingGuards: [limitRange()],
    },
    want: { do: 'putGuards' },
  },
  '[K21] never adopts an existing namespace with computable annotations': {
    reason: 'It may contain a RoleBinding of its creator.',
    observed: { ...whole, organization: made },
    want: taken,
  },
  '[K21] never adopts a namespace that was created concurrently': {
    reason: 'Another client created it first.',
    observed: { ...whole, organization: withStatus({ namespaceRequest: 'r-1' }) },
    want: taken,
  },
  '[K21] never adopts a namespace of another request': {
    reason: 'The annotation of an earlier request is readable.',
    observed: {
      ...whole,
      organization: withStatus({ namespaceRequest: 'r-2' }),
      namespace: asked('r-1'),
    },
    want: taken,
  },
  '[K21] never adopts a namespace that replaced ours': {
    reason: 'Another client deleted and recreated it.',
    observed: { ...whole, organization: withStatus({ namespaceUid: 'uid-0' }) },
    want: { ...taken, message: expect.stringContaining(`{"namespaceUid":"${uid}"}`) },
  },
  '[K21] never adopts a namespace for an organization that was ready': {
    reason: 'Ready says nothing about which namespace it was.',
    observed: {
      ...whole,
      organization: withStatus({
        namespace: name,
        conditions: [conditionOf('True', 'Provisioned')],
      }),
    },
    want: taken,
  },
  'restores removed annotations': {
    reason: 'The uid proves the owner; annotations only inform users.',
    observed: {
      ...whole,
      namespace: { metadata: { name, uid, labels: namespaceLabels() } },
    },
    want: { do: 'repairNamespace' },
  },
  'never adopts a namespace without our annotations': {
    reason: 'Another client created it.',
    observed: {
      ...whole,
      organization: withStatus({ conditions: [conditionOf('True', 'Provisioned')] }),
      namespace: { metadata: { name, uid, labels: namespaceLabels() } },
    },
    want: taken,
  },
  'never adopts a namespace of another organization with the same hash': {
    reason: 'The name contains only twelve digits of the hash.',
    observed: {
      ...whole,
      organization: withStatus({ conditions: [conditionOf('True', 'Provisioned')] }),
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
  'waits until a terminating namespace is deleted': {
    reason: 'No object can be created in it.',
    observed: {
      ...whole,
      namespace: { metadata: { ...namespace.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    },
    want: { do: 'waitForNamespace' },
  },
  'restores a removed Pod Security label': {
    reason: 'Workloads require it.',
    observed: { ...whole, namespace: { metadata: { ...namespace.metadata, labels: {} } } },
    want: { do: 'repairNamespace' },
  },
  '[K06] restores a removed guard': {
    reason: 'Workloads require it.',
    observed: { ...whole, missingGuards: [limitRange()], defaultProject: undefined },
    want: { do: 'putGuards', guards: [{ of: 'limitRange', name: 'fairlead' }] },
  },
  'creates the default project': {
    reason: 'Every resource belongs to a project.',
    observed: { ...whole, defaultProject: undefined },
    want: { do: 'createDefaultProject' },
  },
  'reports that everything exists': {
    reason: 'The first request waits for it.',
    observed: whole,
    want: { do: 'explain', ready: true, reason: 'Provisioned' },
  },
  'rejects an Organization under a wrong name': {
    reason: 'Its requests use another namespace.',
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

it.each<[string, Organization['status'], object]>([
  ['its uid, once it is ours', { namespaceRequest: 'r-1' }, { namespaceUid: uid }],
  [
    'the recorded one, while it is not',
    { namespaceUid: 'uid-0', namespaceRequest: 'r-2' },
    { namespaceUid: 'uid-0', namespaceRequest: 'r-2' },
  ],
  ['nothing, when nothing is recorded', undefined, {}],
])('records of a namespace %s', (_what, status, want) => {
  expect(ownershipRecord({ organization: withStatus(status), namespace: asked('r-1') })).toEqual(
    want,
  );
});
