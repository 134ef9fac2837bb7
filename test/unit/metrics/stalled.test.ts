import { expect, it } from 'vitest';
import { stalledConditions } from '../../../src/crds/conditions.ts';
import type { Resource } from '../../../src/crds/resource.ts';
import { keyFor } from '../../../src/kube/api.ts';
import { createStalledObjects } from '../../../src/metrics/stalled.ts';
import { goesOn, stalled } from '../../../src/reconcilers/resource/status/stalled-status.ts';
import { refused } from '../../../src/reconcilers/resource/status/status.ts';
import { kinds } from '../../../src/store/kinds.ts';
import {
  aClaim,
  aResource,
  inFlight,
  now,
  readyResource,
} from '../../support/fixtures/builders.ts';

const full = { reason: 'QuotaExceeded', message: 'It is full' } as const;

function marked(resource: Resource): Resource {
  const status = stalled(resource, full, now);
  return status === undefined ? resource : { ...resource, status };
}

const shown = ({ status }: Resource) => {
  const types = status?.conditions?.map(({ type, status: holds }) => `${type}=${holds}`).join(' ');
  return `${status?.state} ${status?.reason} ${types}`;
};

const statuses: Record<string, [Resource, stalled: string, after: string]> = {
  'of a resource that was not reconciled yet': [
    aResource(),
    'pending QuotaExceeded Ready=False Stalled=True',
    'pending Queued Ready=False Reconciling=True',
  ],
  'of a resource in progress': [
    inFlight(),
    'processing QuotaExceeded Ready=False Stalled=True',
    'processing Processing Ready=False Reconciling=True',
  ],
  'of a replacement in progress': [
    inFlight({ type: 'DELETE', replacement: 1 }),
    'processing QuotaExceeded Ready=False Stalled=True',
    'processing Replacing Ready=False Reconciling=True',
  ],
  'of an unfinished operation, whose limit counts by its reason': [
    inFlight({}, { status: { reason: 'InProgress' } }),
    'processing InProgress Ready=False Stalled=True',
    'processing InProgress Ready=False Reconciling=True',
  ],
  'of an event that waits for other settings, and holds up those of its provider': [
    inFlight({}, { status: { reason: 'SettingsRefused' } }),
    'processing SettingsRefused Ready=False Stalled=True',
    'processing SettingsRefused Ready=False Reconciling=True',
  ],
  'of a deletion that failed terminally, which a letter explains': [
    inFlight(
      { type: 'DELETE' },
      {
        metadata: { deletionTimestamp: now.toISOString() },
        status: { state: 'deleting', reason: 'DeleteFailed' },
      },
    ),
    'deleting DeleteFailed Ready=False Stalled=True',
    'deleting DeleteFailed Ready=False Stalled=True',
  ],
};

it.each(Object.entries(statuses))('is set and removed %s', (_name, [before, want, after]) => {
  const stalledObject = marked(before);
  expect(shown(stalledObject)).toBe(want);
  expect(
    stalled(stalledObject, { ...full, message: 'It is full, used: 7' }, now),
    'once',
  ).toBeUndefined();
  const next = goesOn(stalledObject, now);
  expect(next && shown({ ...stalledObject, status: next })).toBe(after);
  expect(next && goesOn({ ...stalledObject, status: next }, now), 'once').toBeUndefined();
});

it('ignores a ready resource', () => {
  const ready = readyResource({
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Processed',
          message: '',
          lastTransitionTime: now.toISOString(),
        },
      ],
    },
  });
  expect(shown(marked(ready))).toBe('ready Processed Ready=True Stalled=True');
});

it('is set again for another generation', () => {
  const stamp = { generation: 1, now };
  const first = stalledConditions(full, { ...stamp, previous: [] }) ?? [];
  expect(stalledConditions(full, { ...stamp, previous: first })).toBeUndefined();
  expect(stalledConditions(full, { generation: 2, now, previous: first })).toHaveLength(2);
});

it('is counted by kind and reason, except with a dead letter', () => {
  type Handler = (key: string, before: undefined, after: Resource | undefined) => void;
  let notify: Handler = () => undefined;
  const cache = {
    kind: kinds.resource,
    onChange: (handler: Handler) => {
      notify = handler;
      return () => undefined;
    },
  };
  const resourceStates = createStalledObjects([cache] as unknown as Parameters<
    typeof createStalledObjects
  >[0]);
  const put = (resource: Resource) => notify(keyFor(resource.metadata), undefined, resource);
  const resource = marked(aResource());
  const organization = resource.metadata.namespace;
  put(resource);
  const group = { organization, kind: 'Resource', reason: 'QuotaExceeded' };
  expect(resourceStates.groups()).toEqual([{ ...group, count: 1 }]);
  put({ ...resource, metadata: { ...resource.metadata, name: 'b' } });
  expect(resourceStates.groups()).toEqual([{ ...group, count: 2 }]);
  notify(keyFor(resource.metadata), undefined, undefined);
  expect(resourceStates.groups()).toEqual([{ ...group, count: 1 }]);
  const stamp = { previous: [], generation: 1, now };
  const conditions = stalledConditions({ reason: 'ProviderFailed', message: 'no' }, stamp) ?? [];
  const status = {
    state: 'failed',
    reason: 'ProviderFailed',
    event: aClaim(),
    conditions,
  } as const;
  put({ ...readyResource({ status }), metadata: { ...resource.metadata, name: 'b' } });
  expect(resourceStates.groups()).toEqual([]);
  const none = { references: undefined, requeue: undefined };
  const why = { message: 'config.zone cannot change', content: 'c', ...none };
  put({ ...resource, status: refused(readyResource(), why, now) });
  expect(resourceStates.groups()).toEqual([{ ...group, reason: 'ImmutableField', count: 1 }]);
});
