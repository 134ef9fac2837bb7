// A take-over is asked for once: its claim, or its refusal, ends the mark in the status.
import { expect, it } from 'vitest';
import { Reason } from '../../../../src/crds/conditions.ts';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import { decide } from '../../../../src/reconcilers/resource/decide.ts';
import { claimed, failed, refused } from '../../../../src/reconcilers/resource/status/status.ts';
import { planApply } from '../../../../src/store/resources/apply/apply-plan.ts';
import { contentOfResource, now, observing } from '../../../support/fixtures/builders.ts';
import {
  aReadOnlySubject,
  type ObservedShape,
} from '../../../support/fixtures/observation/observed-subjects.ts';

const found = { state: 'ready', reason: 'Found', appliedConfig: { name: 'orders' } } as const;

function takenOver(status: ObservedShape['status'] = found): Resource {
  const { resource } = aReadOnlySubject({ status });
  return { ...resource, spec: { ...resource.spec, management: 'Managed' } };
}

const next = (resource: Resource) => decide(observing(resource), now, defaultRetryPolicy);

function inClaim(resource: Resource) {
  const decision = next(resource);
  if (decision.do !== 'claim') throw new Error(`Not claimed: ${decision.do}`);
  const { event } = decision;
  return { event, resource: { ...resource, status: claimed(resource, event, now) } };
}

const shapes: [string, ObservedShape['status']][] = [
  ['that was found', found],
  ['that was not found', { state: 'pending', reason: 'NotFound' }],
];

it.each(shapes)('claims a failed take-over of an object %s no second time', (_name, before) => {
  const { event, resource } = inClaim(takenOver(before));
  const status = failed(resource, { event, error: 'No', reason: Reason.ProviderFailed }, now);
  expect(next({ ...resource, status })).toEqual({ do: 'nothing' });
});

it('ends the mark of a take-over that is refused', () => {
  const resource = takenOver();
  const content = contentOfResource(resource);
  const status = refused(
    resource,
    { message: 'No', content, requeue: undefined, references: undefined },
    now,
  );
  expect(next({ ...resource, status })).toEqual({ do: 'nothing' });
});

it.each([
  ['', {}],
  [', also of one whose status describes what was only observed', { management: 'Observed' }],
] as const)(
  'refuses another config while the event of a take-over is in flight%s',
  (_what, before) => {
    const claim = inClaim(takenOver()).resource;
    const resource = { ...claim, status: { ...claim.status, ...before } };
    const { provider, resource: type, name, project = '' } = resource.spec;
    const wanted = { tuple: { provider, resource: type, name }, config: { name: 'other' } };
    const unchanged = { tags: undefined, dependencies: undefined, projectId: undefined };
    const plan = planApply(resource, { ...wanted, ...unchanged, lifecycle: 'pending' }, project);
    expect(plan).toMatchObject({ do: 'refuse', error: { code: 'resource_busy' } });
  },
);
