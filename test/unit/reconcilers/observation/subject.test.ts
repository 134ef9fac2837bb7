// What is observed, and how often.
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import {
  measuredSubject,
  requestOf,
  subjectOf,
} from '../../../../src/reconcilers/observation/subject.ts';
import type { KnownType } from '../../../../src/reconcilers/resource/type/known-type.ts';
import { aResource, inFlight, readyResource } from '../../../support/fixtures/builders.ts';
import {
  aReadOnlySubject,
  changed,
  gone,
  hour,
  minute,
  type ObservedShape,
} from '../../../support/fixtures/observation/observed-subjects.ts';

function typeWith(content: object, more: object = {}): KnownType {
  const known = { description: '', ...content } as NonNullable<KnownType['content']>;
  return {
    type: { content: known, retired: undefined, ...more },
    content: known,
    provider: undefined,
  };
}

const observable = typeWith({ observe: true });
const readOnly = (shape?: ObservedShape) => aReadOnlySubject(shape).resource;
const deletionTimestamp = '2026-01-01T00:00:00Z';

interface Case {
  readonly reason: string;
  readonly resource: Resource;
  readonly type?: KnownType;
  readonly isObserved: boolean;
}

const cases: Record<string, Case> = {
  'a ready resource': {
    reason: 'There is an object, and a config that it should have.',
    resource: readyResource(),
    isObserved: true,
  },
  'a drifted resource': {
    reason: 'Its state stays ready, and it may be as declared again.',
    resource: readyResource({ status: { reason: 'Drifted', drift: changed } }),
    isObserved: true,
  },
  'a resource whose object is gone': {
    reason: 'It may come back.',
    resource: readyResource({ status: { reason: 'Gone', drift: gone } }),
    isObserved: true,
  },
  'a paused resource': {
    reason: 'Observing changes nothing.',
    resource: readyResource({ spec: { paused: true } }),
    isObserved: true,
  },
  'a resource of a type that is not observed': {
    reason: 'Providers of today get nothing new.',
    resource: readyResource(),
    type: typeWith({}),
    isObserved: false,
  },
  'a resource of a retired type': {
    reason: 'The version that serves does not have it.',
    resource: readyResource(),
    type: typeWith({ observe: true }, { retired: { version: '2', at: deletionTimestamp } }),
    isObserved: false,
  },
  'a resource of a type that is not in force': {
    reason: 'Nothing serves it.',
    resource: readyResource(),
    type: { ...observable, type: undefined },
    isObserved: false,
  },
  'a new resource': { reason: 'Nothing exists yet.', resource: aResource(), isObserved: false },
  'a draft': {
    reason: 'Nothing exists.',
    resource: aResource({ spec: { lifecycle: 'Draft' } }),
    isObserved: false,
  },
  'a resource whose event is under way': {
    reason: 'It changes what an observation would see.',
    resource: inFlight(),
    isObserved: false,
  },
  'a resource whose config changed': {
    reason: 'A change under way is no drift.',
    resource: { ...readyResource(), spec: readyResource({ spec: { config: { a: 2 } } }).spec },
    isObserved: false,
  },
  'a failed resource': {
    reason: 'Nobody knows what its config is.',
    resource: readyResource({ status: { state: 'failed', reason: 'AttemptsExhausted' } }),
    isObserved: false,
  },
  'a resource that is being deleted': {
    reason: 'Its object is about to go.',
    resource: readyResource({ metadata: { deletionTimestamp } }),
    isObserved: false,
  },
  'what is only observed, before the first answer': {
    reason: 'Its outputs come from observations.',
    resource: readOnly(),
    isObserved: true,
  },
  'what is only observed and was found': {
    reason: 'Its outputs may change.',
    resource: readOnly({ status: { state: 'ready', reason: 'Found' } }),
    isObserved: true,
  },
  'what is only observed and was not found': {
    reason: 'It may come.',
    resource: readOnly({ status: { reason: 'NotFound' } }),
    isObserved: true,
  },
  'what is only observed, before it is accepted': {
    reason: 'The resource reconciler waits for references, or refuses it.',
    resource: readOnly({ status: { management: undefined, reason: 'Queued' } }),
    isObserved: false,
  },
  'what is only observed, with content that is not accepted': {
    reason: 'The accepted one is another object.',
    resource: readOnly({ status: { content: 'another' } }),
    isObserved: false,
  },
  'what is only observed, while it waits for something else': {
    reason: 'It was accepted, and cannot be observed now.',
    resource: readOnly({ status: { reason: 'DependenciesNotReady' } }),
    isObserved: false,
  },
  'a draft of what is only observed': {
    reason: 'Drafts are stored only.',
    resource: readOnly({ spec: { lifecycle: 'Draft' } }),
    isObserved: false,
  },
  'what is only observed and is being deleted': {
    reason: 'Its record goes.',
    resource: readOnly({ metadata: { deletionTimestamp } }),
    isObserved: false,
  },
  'a ready resource that is only observed from now on': {
    reason: 'The resource reconciler accepts that first.',
    resource: readyResource({ spec: { management: 'Observed' } }),
    isObserved: false,
  },
  'what was only observed, before its first event': {
    reason: 'Its first event is an UPDATE.',
    resource: readyResource({ status: { management: 'Observed', reason: 'Found' } }),
    isObserved: false,
  },
};

it.each(Object.entries(cases))('observes or not: %s', (_name, given) => {
  const { reason, resource, type = observable, isObserved } = given;
  expect(subjectOf(resource, type) !== undefined, reason).toBe(isObserved);
});

describe('the interval', () => {
  it.each<[string, string | undefined, string | undefined, number | undefined, number]>([
    ['is an hour', undefined, undefined, hour, hour],
    ['is that of the type', undefined, '10m', 10 * minute, 10 * minute],
    ['is that of the resource', '2h', '10m', 2 * hour, 10 * minute],
    ['is none on request', 'never', '10m', undefined, 10 * minute],
    [
      'is that of the type instead of one beyond the limits',
      '999999d',
      '10m',
      10 * minute,
      10 * minute,
    ],
    ['is an hour instead of one of the type that is too short', undefined, '1s', hour, hour],
  ])('%s', (_name, every, ofType, everyMs, typeEveryMs) => {
    const observe = every === undefined ? {} : { every };
    const resource = readyResource({ spec: { observe } });
    const observeEvery = ofType === undefined ? {} : { observeEvery: ofType };
    expect(subjectOf(resource, typeWith({ observe: true, ...observeEvery }))).toMatchObject({
      everyMs,
      typeEveryMs,
    });
  });
});

it('names the provider and the resource by what stays', () => {
  const resource = readyResource();
  const { namespace } = resource.metadata;
  const provider = `${namespace}/postgres`;
  expect(subjectOf(resource, observable)).toMatchObject({ provider, uid: 'uid-1' });
  expect(measuredSubject(resource)).toEqual({ namespace, provider: 'postgres', type: 'database' });
});

describe('a request', () => {
  const asked = (text: string | undefined, answered?: string) =>
    requestOf(
      readyResource({
        metadata: { annotations: text === undefined ? {} : { 'fairlead.dev/observe': text } },
        status:
          answered === undefined
            ? {}
            : {
                observation: { request: answered, at: deletionTimestamp, compared: 0, unknown: 0 },
              },
      }),
    );

  it('is open until it is answered', () => {
    expect([asked(undefined), asked(undefined, 'a')]).toEqual([undefined, undefined]);
    expect([asked('a'), asked('b', 'a'), asked('a', 'a')]).toEqual(['a', 'b', undefined]);
  });

  it('of kubectl is cut, so that its answer fits, and answered once', () => {
    const long = 'x'.repeat(500);
    expect([asked(long), asked(long, 'x'.repeat(64))]).toEqual(['x'.repeat(64), undefined]);
  });
});
