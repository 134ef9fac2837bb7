import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../../src/crds/resource.ts';
import { defaultRetryPolicy } from '../../../../src/domain/retry.ts';
import type { Answer } from '../../../../src/events/protocol.ts';
import {
  claimedVersion,
  contentVersions,
  versionInWords,
} from '../../../../src/reconcilers/resource/config-version.ts';
import type { UnrecordedAnswer } from '../../../../src/reconcilers/resource/delivery/unrecorded-answers.ts';
import { earlierOutputs } from '../../../../src/reconcilers/resource/type/known-type.ts';
import { declaredHashOf } from '../../../../src/store/resources/content.ts';
import {
  aClaim,
  aResource,
  inFlight,
  now,
  observing,
  readyResource,
} from '../../../support/fixtures/builders.ts';

describe('the version of a claim', () => {
  const claimed = (resource: ReturnType<typeof aResource>, typeVersion: number) => {
    const observed = observing(resource, { typeVersion });
    return claimedVersion({ ...observed, now, policy: defaultRetryPolicy }).typeVersion;
  };
  const before = (version: number) =>
    aResource({
      spec: { retry: 1 },
      status: {
        event: aClaim({ declared: declaredHashOf(aResource().spec), typeVersion: version }),
      },
    });

  it.each([
    ['is the one that serves when nothing else says it', aResource(), 3, 3],
    ['is not stored when it is the first', aResource(), 1, undefined],
    ['is the one that an apply wrote', aResource({ spec: { typeVersion: 2 } }), 3, 2],
    [
      'is above the one that serves after a rollback',
      aResource({ spec: { typeVersion: 2 } }),
      1,
      2,
    ],
    ['is that of the claim before, when only the counter was raised', before(2), 3, 2],
  ])('%s', (_, resource, serving, want) => {
    expect(claimed(resource, serving)).toBe(want);
  });
});

describe('the versions of a success', () => {
  const succeeded = (outputsTypeVersion?: number): Extract<Answer, { kind: 'succeeded' }> => ({
    kind: 'succeeded',
    outputs: {},
    ...(outputsTypeVersion === undefined ? {} : { outputsTypeVersion }),
  });
  const sent = { config: {}, schemaVersion: 2, typeVersion: 3 };

  it.each<[string, UnrecordedAnswer<'succeeded'>, object]>([
    [
      'are those of the sent config and of the type that served',
      { ...sent, answer: succeeded() },
      { appliedTypeVersion: 2, outputsTypeVersion: 3 },
    ],
    [
      'are what the provider says about its outputs',
      { ...sent, answer: succeeded(2) },
      { appliedTypeVersion: 2, outputsTypeVersion: 2 },
    ],
    [
      'are removed for the first, which leaves no later one there after a rollback',
      { config: {}, schemaVersion: 1, typeVersion: 1, answer: succeeded() },
      { appliedTypeVersion: undefined, outputsTypeVersion: undefined },
    ],
  ])('%s', (_, unrecorded, want) => {
    expect(contentVersions(unrecorded)).toStrictEqual(want);
  });
});

describe('a failure by the schema of another version', () => {
  const words = (typeVersion: number, version: number, judgedVersion: number) =>
    versionInWords(observing(inFlight({ typeVersion: version }), { typeVersion, judgedVersion }));

  it('says nothing when the version of the config decides', () => {
    expect(words(3, 2, 2)).toBe('');
  });

  it('names both versions and what to do after a rollback', () => {
    expect(words(1, 2, 1)).toBe(
      '. The config has version 2 of type postgres/database, and version 1 serves: deploy a version of the provider that has version 2, or apply a config that fits version 1',
    );
  });

  it('names both versions when there is no migration', () => {
    expect(words(3, 1, 3)).toBe(
      '. The config has version 1 of type postgres/database, from which version 3 does not migrate: apply a config that fits version 3',
    );
  });
});

it('names resources whose outputs have an earlier version of their type than the one that serves', () => {
  const used = (outputsTypeVersion?: number) =>
    readyResource(outputsTypeVersion === undefined ? {} : { status: { outputsTypeVersion } });
  const { spec } = aResource();
  const definition = { spec: { ...spec, description: '', typeVersion: 2 } };
  const earlier = (resource: Resource) => {
    const deps = {
      resources: { get: () => resource },
      definitions: { get: () => definition },
      providers: { get: () => undefined },
    };
    const missing = { to: spec, path: ['x'], text: '', why: 'missing', offered: [], at: [] };
    return [...earlierOutputs(aResource(), [missing] as never, deps as never)];
  };
  const name = 'postgres/database/orders';
  expect(earlier(used())).toEqual([[name, { version: 1, serving: 2 }]]);
  expect(earlier(used(2))).toEqual([]);
  expect(earlier(aResource())).toEqual([]);
});
