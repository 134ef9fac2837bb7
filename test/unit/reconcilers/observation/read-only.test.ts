// The status of what is only observed.
import { describe, expect, it } from 'vitest';
import type { ResourceStatus } from '../../../../src/crds/resource.ts';
import type { Observation } from '../../../../src/events/protocol.ts';
import { readOnlyResult } from '../../../../src/reconcilers/observation/read-only.ts';
import type { Subject } from '../../../../src/reconcilers/observation/subject.ts';
import { now } from '../../../support/fixtures/builders.ts';
import {
  aReadOnlySubject,
  found,
  notThere,
} from '../../../support/fixtures/observation/observed-subjects.ts';

const secrets = {
  appliedSecrets: ['/key'],
  receivedSecrets: undefined,
  outputsSecrets: ['/token'],
};

function resultOf(subject: Subject, answer: Observation, more: object = {}) {
  const context = { answer, typeVersion: 1, references: 'hash', request: undefined, now };
  return readOnlyResult(subject, { ...context, secrets, ...more });
}

function observedAs(subject: Subject, answer: Observation, more?: object): Subject {
  const { next } = resultOf(subject, answer, more);
  expect(next, 'a change is written').toBeDefined();
  return { ...subject, resource: { ...subject.resource, status: next as ResourceStatus } };
}

const statusOf = ({ resource }: Subject) => resource.status;
const object = found({ size: 2, key: 'x' }, { url: 'y', token: 'z' });

describe('an object that is there', () => {
  it('makes the resource ready, with the outputs, and with its config for a later event', () => {
    const { next, outcome, news } = resultOf(aReadOnlySubject(), object);
    expect(next).toMatchObject({
      ...{ state: 'ready', reason: 'Found', management: 'Observed', references: 'hash' },
      ...{ outputs: object.outputs, appliedConfig: object.config },
      ...{ appliedSecrets: ['/key'], outputsSecrets: ['/token'] },
    });
    expect(next).not.toHaveProperty('drift');
    expect(next).not.toHaveProperty('event');
    expect({ outcome, news }).toMatchObject({ outcome: 'in_sync', news: { reason: 'Found' } });
  });

  it('is written once', () => {
    const ready = observedAs(aReadOnlySubject(), object);
    expect(resultOf(ready, structuredClone(object)).next).toBeUndefined();
  });

  it('is written again when it changed, and told to nobody', () => {
    const ready = observedAs(aReadOnlySubject(), object);
    const { next, news } = resultOf(ready, { ...object, outputs: { url: 'other' } });
    expect(next).toMatchObject({ outputs: { url: 'other' }, appliedConfig: object.config });
    expect(news).toBeUndefined();
    expect(resultOf(ready, { ...object, config: { size: 3 } }).next).toBeDefined();
    expect(resultOf(ready, object, { references: 'other' }).next).toBeDefined();
  });

  it('has the versions of the answer, else that of the type that serves', () => {
    const versions = (answer: object, typeVersion: number) => {
      const { appliedTypeVersion, outputsTypeVersion } =
        resultOf(aReadOnlySubject(), { ...object, ...answer }, { typeVersion }).next ?? {};
      return [appliedTypeVersion, outputsTypeVersion];
    };
    expect(versions({}, 1)).toEqual([undefined, undefined]);
    expect(versions({}, 3)).toEqual([3, 3]);
    expect(versions({ schemaVersion: 2 }, 3)).toEqual([2, 2]);
    expect(versions({ schemaVersion: 2, outputsTypeVersion: 3 }, 3)).toEqual([2, 3]);
  });
});

describe('an object that is not there', () => {
  it('leaves the resource pending', () => {
    const { next, outcome } = resultOf(aReadOnlySubject(), notThere);
    expect(next).toMatchObject({ state: 'pending', reason: 'NotFound' });
    expect(outcome).toBe('gone');
  });

  it('is written once', () => {
    const missing = observedAs(aReadOnlySubject(), notThere);
    expect(resultOf(missing, notThere).next).toBeUndefined();
  });

  it('takes the outputs of before with it, and comes back', () => {
    const missing = observedAs(observedAs(aReadOnlySubject(), object), notThere);
    const status = statusOf(missing);
    expect(status).toMatchObject({ state: 'pending', reason: 'NotFound' });
    for (const field of ['outputs', 'appliedConfig', 'appliedSecrets', 'outputsSecrets']) {
      expect(status).not.toHaveProperty(field);
    }
    expect(statusOf(observedAs(missing, object))).toMatchObject({
      state: 'ready',
      reason: 'Found',
    });
  });
});

it('answers a request, also when nothing changed', () => {
  const request = 'r-1';
  const observation = { request, at: now.toISOString(), compared: 0, unknown: 0 };
  const ready = observedAs(aReadOnlySubject(), object);
  expect(statusOf(observedAs(ready, object, { request }))).toMatchObject({
    ...{ state: 'ready', reason: 'Found', outputs: object.outputs },
    observation: { ...observation, exists: true },
  });
  expect(statusOf(observedAs(ready, notThere, { request }))).toMatchObject({
    observation: { ...observation, exists: false },
  });
});

it('ends the condition of what could not be observed', () => {
  const observed = statusOf(observedAs(aReadOnlySubject(), object)) as ResourceStatus;
  const condition = {
    ...({ type: 'Observed', status: 'False', reason: 'ObserveFailed', message: 'no' } as const),
    lastTransitionTime: now.toISOString(),
  };
  const status = { ...observed, conditions: [...(observed.conditions ?? []), condition] };
  const next = statusOf(observedAs(aReadOnlySubject({ status }), object));
  expect(next?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
});
