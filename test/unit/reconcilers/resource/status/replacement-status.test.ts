import { expect, it } from 'vitest';
import { Reason } from '../../../../../src/crds/conditions.ts';
import type { Resource, ResourceStatus } from '../../../../../src/crds/resource.ts';
import {
  deadLetterOf,
  maskedFailure,
  receiptOf,
} from '../../../../../src/reconcilers/resource/failures/failure-record.ts';
import * as status from '../../../../../src/reconcilers/resource/status/status.ts';
import { createdAnew, held } from '../../../../../src/reconcilers/resource/status/status.ts';
import { resourceRecord } from '../../../../../src/store/resources/state.ts';
import { aClaim, now, observing, secondsLater } from '../../../../support/fixtures/builders.ts';
import {
  type Around,
  creatingNew,
  deletingOld,
  newConfig,
  oldConfig,
  oldOutputs,
  requested,
} from '../../../../support/fixtures/replacements.ts';

const due = secondsLater(5);
const context = { operation: 'op-1' };
const oldHalf = 'Replacement, deletion of the old object: ';
const newHalf = 'Replacement, creation of the new object: ';

function recordOf(resource: Resource, next: ResourceStatus) {
  return resourceRecord({ ...resource, status: next });
}

function eventOf({ status: before }: Resource) {
  if (before?.event === undefined) throw new Error('It has an event');
  return before.event;
}

interface Half {
  readonly of: (around?: Around) => Resource;
  readonly prefix: string;
  readonly outputs: object;
}

const halves: Readonly<Record<string, Half>> = {
  'the deletion of the old object': { of: deletingOld, prefix: oldHalf, outputs: oldOutputs },
  'the creation of the new object': { of: creatingNew, prefix: newHalf, outputs: {} },
};

it.each(Object.entries(halves))('says of %s in every state which half it is', (_name, half) => {
  const resource = half.of();
  const event = eventOf(resource);
  const error = 'NO: no';
  const { outputs } = half;
  const told = (next: ResourceStatus) => recordOf(resource, next);
  const claim = told(status.claimed(resource, event, now));
  expect(claim).toMatchObject({ state: 'processing', reason: 'Replacing', outputs });
  expect(claim.message).toMatch(new RegExp(`^${half.prefix}Sending the ${event.type} event`));
  const later = { event, message: '40 %', context, due };
  const inProgress = { state: 'processing', message: `${half.prefix}40 %`, outputs };
  expect(told(status.deferred(resource, later, now))).toMatchObject(inProgress);
  const retry = told(status.retrying(resource, { event, error, due }, now));
  expect(retry).toMatchObject({ state: 'processing', outputs });
  expect(retry.message).toMatch(new RegExp(`^${half.prefix}Attempt 1 failed: NO: no;`));
  const wait = told(held(resource, { event, error, due, isRefused: false }, now));
  expect(wait).toMatchObject({ state: 'processing', outputs });
  expect(wait.message).toContain(`${half.prefix}The provider asked to wait`);
  const failure = { event, error, reason: Reason.ProviderFailed };
  const failed = status.failed(resource, failure, now);
  const shown = { state: 'failed', reason: 'ProviderFailed', message: `${half.prefix}NO: no` };
  expect(told(failed)).toMatchObject({ ...shown, error, outputs });
  const types = failed.conditions?.map(({ type, status: is }) => `${type}=${is}`);
  expect(types).toEqual(['Ready=False', 'Stalled=True', 'DeadLettered=True']);
});

it('forgets the old object in the write that claims the CREATE', () => {
  const before = deletingOld({
    status: {
      appliedTypeVersion: 2,
      outputsTypeVersion: 2,
      appliedSecrets: ['/zone'],
      receivedSecrets: ['/zone'],
      outputsSecrets: ['/address'],
      providerVersion: '20260101.000001',
      references: 'old',
      error: 'NO: no',
    },
  });
  const event = eventOf(creatingNew());
  const next = createdAnew(before, event, now);
  const { conditions: _conditions, ...rest } = next;
  expect(rest).toEqual({
    state: 'processing',
    reason: 'Replacing',
    observedGeneration: 2,
    content: event.content,
    event,
    replaced: 1,
    updatedAt: now.toISOString(),
  });
});

it('keeps the highest number of a replacement, whatever kubectl removes', () => {
  const event = aClaim();
  const without = requested({ spec: { replace: undefined }, status: { replaced: 3 } });
  expect(status.claimed(without, event, now).replaced).toBe(3);
  expect(status.claimed(requested({ spec: { replace: 4 } }), event, now).replaced).toBe(4);
  const never = requested({ spec: { replace: undefined } });
  expect(status.claimed(never, event, now)).not.toHaveProperty('replaced');
});

it('keeps the context that a DELETE was given, and not that of its own operation', () => {
  const given = deletingOld({ event: { context } });
  const begun = deletingOld({ event: { context, acceptedAt: now.toISOString() } });
  const why = { error: 'late', reason: Reason.OperationTimedOut };
  const eventAfter = (resource: Resource) =>
    status.failed(resource, { event: eventOf(resource), ...why }, now).event;
  expect(eventAfter(given)).toMatchObject({ context });
  expect(eventAfter(begun), 'a retry begins another operation').not.toHaveProperty('context');
});

it('leaves a receipt of what exists: of the old object until it is gone, then of the new one', async () => {
  const receipt = (resource: Resource) => receiptOf(observing(resource), { reason: 'Forced', now });
  const old = { config: oldConfig, outputs: oldOutputs };
  expect(await receipt(deletingOld())).toMatchObject(old);
  expect(await receipt(deletingOld({ status: { state: 'failed' } }))).toMatchObject(old);
  const refused = observing(requested(), { changedImmutables: [['zone']] });
  expect(await receiptOf(refused, { reason: 'OrphanPolicy', now })).toMatchObject(old);
  expect(await receipt(creatingNew())).toMatchObject({ config: newConfig, outputs: {} });
});

it('has no secret of either object in the letters of the two halves', async () => {
  const schema = { properties: { zone: { type: 'string' }, key: { writeOnly: true } } };
  const [old, fresh] = ['swordfish-1', 'hunter-22'];
  const config = { zone: 'b', key: fresh };
  const around = { spec: { config }, status: { appliedConfig: { zone: 'a', key: old } } };
  const letterOf = async (resource: Resource, message: string) => {
    const observed = observing(resource, { schema, typeRegistered: true });
    const { code, error } = await maskedFailure({ code: 'NO', message }, observed);
    return deadLetterOf(eventOf(resource), observed, {
      code,
      error,
      log: [],
      exists: undefined,
      now,
    });
  };
  const ofOld = await letterOf(deletingOld(around), `${old} and ${fresh} are no keys`);
  expect(ofOld).toMatchObject({
    eventType: 'DELETE',
    errorMessage: 'NO: [masked] and [masked] are no keys',
    payload: { config: { zone: 'a', key: '[masked]' } },
  });
  const ofNew = await letterOf(creatingNew({ spec: { config } }), `${fresh} is no key`);
  expect(ofNew).toMatchObject({
    eventType: 'CREATE',
    errorMessage: 'NO: [masked] is no key',
    payload: { config: { zone: 'b', key: '[masked]' } },
  });
});
