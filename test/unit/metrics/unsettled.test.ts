import { expect, it } from 'vitest';
import type { Condition } from '../../../src/crds/conditions.ts';
import type { Resource } from '../../../src/crds/resource.ts';
import { keyFor } from '../../../src/kube/api.ts';
import { createUnsettled } from '../../../src/metrics/unsettled.ts';
import {
  aResource,
  inFlight,
  now,
  readyResource,
  secondsLater,
} from '../../support/fixtures/builders.ts';
import { objectCache } from '../../support/fixtures/object-cache.ts';

function following() {
  const resources = objectCache<Resource>();
  let time = now;
  const unsettled = createUnsettled(resources, { now: () => time });
  return {
    unsettled,
    at: (date: Date) => {
      time = date;
    },
    put: (resource: Resource, name: string) =>
      resources.put({ ...resource, metadata: { ...resource.metadata, name } }),
    remove: (resource: Resource, name: string) =>
      resources.remove(keyFor({ ...resource.metadata, name })),
  };
}

function reconcilingSince(since: Date): Resource {
  const resource = inFlight();
  const condition: Condition = {
    type: 'Reconciling',
    status: 'True',
    reason: 'Processing',
    message: '',
    lastTransitionTime: since.toISOString(),
  };
  const { status } = resource;
  if (status === undefined) throw new TypeError('what is in flight has a status');
  return { ...resource, status: { ...status, conditions: [condition] } };
}

it('tracks the oldest of each reason', () => {
  const { unsettled, put } = following();
  put(reconcilingSince(secondsLater(-10)), 'younger');
  put(reconcilingSince(secondsLater(-60)), 'older');
  put(readyResource(), 'at-rest');
  expect(unsettled.oldest()).toEqual([
    expect.objectContaining({ state: 'processing', since: secondsLater(-60) }),
  ]);
});

it('drops settled and deleted resources', () => {
  const { unsettled, put, remove } = following();
  put(reconcilingSince(now), 'settles');
  put(reconcilingSince(now), 'goes');
  put(readyResource(), 'settles');
  remove(inFlight(), 'goes');
  expect(unsettled.oldest()).toEqual([]);
});

it('counts an unreconciled resource from its first observation, over any changes', () => {
  const { unsettled, put, at } = following();
  put(aResource(), 'new');
  at(secondsLater(300));
  put(aResource(), 'new');
  expect(unsettled.oldest()).toEqual([
    expect.objectContaining({ state: 'pending', reason: 'Queued', since: now }),
  ]);
});
