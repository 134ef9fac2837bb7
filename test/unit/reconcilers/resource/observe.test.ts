// When a config is judged by the schema of its type, and when its project is looked up.
import { describe, expect, it } from 'vitest';
import type { Provider } from '../../../../src/crds/provider.ts';
import type { Resource } from '../../../../src/crds/resource.ts';
import type { ResourceDefinition } from '../../../../src/crds/resource-definition.ts';
import { UnusableSchema } from '../../../../src/domain/schemas/schema.ts';
import { keyFor } from '../../../../src/kube/api.ts';
import { type ObserveDeps, observe } from '../../../../src/reconcilers/resource/observe.ts';
import {
  aResource,
  inFlight,
  now,
  readyResource,
  secondsLater,
  waitsAt,
} from '../../../support/fixtures/builders.ts';
import {
  creatingNew,
  deletingOld,
  failedFor,
  newConfig,
  requested,
} from '../../../support/fixtures/replacements.ts';

const definition = {
  metadata: { name: 'any' },
  spec: { provider: 'postgres', resource: 'database', schema: { type: 'object' } },
} as unknown as ResourceDefinition;

function observing(resource: Resource, deps: Partial<ObserveDeps> = {}) {
  const nobody = { get: () => undefined };
  const dependencies = {
    usersOf: () => [],
    dependenciesOf: () => [],
    cycleThrough: () => undefined,
    note: () => undefined,
  };
  return observe(keyFor(resource.metadata), {
    resources: { get: () => resource },
    definitions: { get: () => definition },
    providers: nobody,
    organizations: nobody,
    namespaces: nobody,
    projects: { has: () => Promise.resolve(false), nameOf: (_at, id) => id },
    dependencies,
    claimants: {
      othersLike: () => [],
      of: () => undefined,
      ofOutputs: () => undefined,
      claimantsOf: () => [],
    },
    endpoints: { find: () => 'http://127.0.0.1:8080' },
    schemas: { validate: () => Promise.resolve([{ loc: [], msg: 'bad', type: 'value_error' }]) },
    quota: { fullAt: () => undefined },
    answers: { find: () => undefined, before: () => [], drop: () => undefined },
    waits: waitsAt(now),
    ...deps,
  });
}

it('reads what the type declares, of the version that serves', async () => {
  const next = { version: '20260102.000002', description: '', retry: { attempts: 3 } };
  const base = { providerVersion: '20260101.000001', retry: { attempts: 9 } };
  const spec = { ...definition.spec, ...base, next };
  const deps = (deployedVersion: string) => ({
    definitions: { get: () => ({ ...definition, spec }) },
    providers: {
      get: () =>
        ({ spec: { version: next.version }, status: { deployedVersion } }) as unknown as Provider,
    },
  });
  expect((await observing(inFlight()))?.retry).toBeUndefined();
  expect((await observing(inFlight(), deps(base.providerVersion)))?.retry).toEqual({ attempts: 9 });
  expect((await observing(inFlight(), deps(next.version)))?.retry).toEqual({ attempts: 3 });
});

describe('a config', () => {
  const failed = { state: 'failed', reason: 'ProviderFailed' } as const;
  const cases: Record<string, [Resource, number]> = {
    'is validated before its event is first sent': [inFlight(), 1],
    'is validated before what it replaces is deleted': [deletingOld(), 1],
    'is not validated again before another attempt of that': [
      deletingOld({ event: { attempt: 2 } }),
      0,
    ],
    'is not validated before a deletion': [
      inFlight({ type: 'DELETE' }, { metadata: { deletionTimestamp: now.toISOString() } }),
      0,
    ],
    'is not validated again before another attempt': [inFlight({ attempt: 2 }), 0],
    'is not validated again while the provider works': [
      inFlight({ nextAttemptAt: secondsLater(5).toISOString() }),
      0,
    ],
    'is not validated again once its resource is ready': [readyResource(), 0],
    'is not validated again once its resource has failed': [readyResource({ status: failed }), 0],
  };
  it.each(Object.entries(cases))('%s', async (_name, [resource, violations]) => {
    expect((await observing(resource))?.violations).toHaveLength(violations);
  });

  it('that can never be validated is distinguished from one that timed out', async () => {
    const forGood = { validate: () => Promise.reject(new UnusableSchema('it is refused')) };
    expect((await observing(inFlight(), { schemas: forGood }))?.unusable).toBe('it is refused');
    const late = { validate: () => Promise.reject(new Error('late')) };
    await expect(observing(inFlight(), { schemas: late })).rejects.toThrow('late');
  });
});

describe('a project', () => {
  const elsewhere = { spec: { project: 'nowhere' } } as const;
  const cases: Record<string, [Resource, boolean]> = {
    'is looked up for a new resource': [aResource(elsewhere), false],
    'is not looked up for the default one': [aResource(), true],
    'is not looked up for a draft': [
      aResource({ spec: { ...elsewhere.spec, lifecycle: 'Draft' } }),
      true,
    ],
    'is not looked up for an event in progress, which is completed': [
      inFlight({}, elsewhere),
      true,
    ],
    'is not looked up for a resource that an earlier release made ready': [
      readyResource(elsewhere),
      true,
    ],
  };
  it.each(Object.entries(cases))('%s', async (_name, [resource, inProject]) => {
    expect((await observing(resource))?.inProject).toBe(inProject);
  });
});

describe('the immutable fields that a config changes', () => {
  const schema = { properties: { zone: { immutable: true } } };
  const marked = { ...definition, spec: { ...definition.spec, schema } };
  const deps = { definitions: { get: () => marked as unknown as ResourceDefinition } };
  const cases: Record<string, [Resource, number]> = {
    'are found before a success of the new one': [requested(), 1],
    'are found while the old object is deleted': [deletingOld(), 1],
    'are none once the old object is gone': [creatingNew(), 0],
    'are none before the first success': [aResource({ spec: { config: newConfig } }), 0],
    'are none of a config that was applied': [readyResource({ spec: { config: newConfig } }), 0],
  };
  it.each(Object.entries(cases))('%s', async (_name, [resource, count]) => {
    expect((await observing(resource, deps))?.changedImmutables).toHaveLength(count);
  });

  it('are none of a type that is not registered', async () => {
    const none = { definitions: { get: () => undefined } };
    expect((await observing(requested(), none))?.changedImmutables).toEqual([]);
  });
});

describe('the resources that use it', () => {
  const user = { ...readyResource({ spec: { name: 'user' } }) };
  const waiting = { ...aResource({ spec: { name: 'waiting' } }) };
  const elsewhere = { ...readyResource({ spec: { name: 'other', project: 'other' } }) };
  const all = [user, waiting, elsewhere];
  const cases: Record<string, [Resource, readonly string[]]> = {
    'are looked up before a replacement': [requested(), ['postgres/database/user']],
    'are looked up before a failed one is retried': [
      deletingOld({ status: failedFor('ProviderFailed') }),
      ['postgres/database/user'],
    ],
    'are not looked up once the old object is being deleted': [deletingOld(), []],
    'are not looked up of one that stays': [readyResource(), []],
  };
  it.each(Object.entries(cases))('%s', async (_name, [resource, users]) => {
    const known = new Map([resource, ...all].map((each) => [keyFor(each.metadata), each]));
    const dependencies = {
      usersOf: () => all.map(({ metadata }) => keyFor(metadata)),
      dependenciesOf: () => [],
      cycleThrough: () => undefined,
      note: () => undefined,
    };
    const resources = { get: (key: string) => known.get(key) };
    expect((await observing(resource, { resources, dependencies }))?.users).toEqual(users);
  });
});
