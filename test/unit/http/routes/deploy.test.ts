// The writes of a deploy, with stores in memory.
import { beforeEach, describe, expect, it } from 'vitest';
import { FairleadError } from '../../../../src/domain/errors.ts';
import { organizationOf } from '../../../../src/domain/identity.ts';
import { defaultLimits } from '../../../../src/domain/limits.ts';
import { type DeployingDeps, deployBuild } from '../../../../src/http/routes/deploy.ts';
import type { BuildRecord } from '../../../../src/store/builds/store.ts';
import type { ProviderRecord } from '../../../../src/store/providers/store.ts';
import type { DefinitionRecord, ResourceRecord } from '../../../../src/store/records.ts';

const acme = organizationOf('https://issuer.test', 'acme');
const first = '20260101.000001';
const second = '20260101.000002';
const config = { size: 1 };

let version: string | undefined;
/** The version that serves; others start. */
let serving: string | undefined;
/** The version whose types were registered again, by type. */
let registered: Map<string, string>;
let resources: readonly Pick<
  ResourceRecord,
  'provider' | 'resource' | 'name' | 'state' | 'config'
>[];
let definitions: readonly Pick<DefinitionRecord, 'provider' | 'resource' | 'retired'>[];
let deps: DeployingDeps;

const buildOf = (jobName: string) => {
  const made = jobName.endsWith('1') ? first : second;
  const type = { description: made, schema: { type: 'object' } };
  // The second version lacks a type.
  const names = made === first ? ['crate', 'barrel'] : ['crate'];
  const types = names.map((resource) => ({ resource, ...type }));
  return { provider: 'box', version: made, phase: 'success', types } as const;
};

const recordWith = (provider: string) =>
  ({ provider, version, servingVersion: serving }) as ProviderRecord;

beforeEach(() => {
  version = undefined;
  serving = undefined;
  registered = new Map();
  resources = [{ provider: 'box', resource: 'crate', name: 'one', config, state: 'ready' }];
  definitions = ['crate', 'barrel'].map((resource) => ({
    provider: 'box',
    resource,
    retired: null,
  }));
  deps = {
    builds: {
      get: (_organization, _provider, jobName) =>
        Promise.resolve(buildOf(jobName) as unknown as BuildRecord),
      list: () => Promise.resolve([]),
    },
    providers: {
      find: () => Promise.resolve(recordWith('box')),
      deploy: (_organization, provider, wanted) => {
        ({ version } = wanted);
        return Promise.resolve(recordWith(provider));
      },
      previewDeploy: (_organization, provider, wanted) =>
        Promise.resolve({
          change: 'update',
          record: { provider, version: wanted.version } as ProviderRecord,
        }),
    },
    quota: { limitsOf: () => defaultLimits },
    definitions: {
      list: () => Promise.resolve(definitions as readonly DefinitionRecord[]),
      registerBuilt: (_organization, built) => {
        for (const { resource } of built.types) registered.set(resource, built.version);
        return Promise.resolve();
      },
    },
    resources: {
      list: () =>
        Promise.resolve({ records: resources as readonly ResourceRecord[], next: undefined }),
      readers: () => Promise.resolve([]),
    },
    schemas: {
      checkSchema: () => Promise.resolve([]),
      validate: () => Promise.resolve([]),
    },
  };
});

const put = (wanted: string, more: { isPreview?: boolean; retireTypes?: boolean } = {}) =>
  deployBuild(deps, acme, {
    provider: 'box',
    version: wanted,
    strict: false,
    retireTypes: false,
    ...more,
  });

it('registers nothing: the controller does, before the version takes over', async () => {
  serving = first;
  await put(second);
  expect([version, registered.size]).toEqual([second, 0]);
});

it('of the version that serves registers its types again', async () => {
  serving = first;
  await put(first);
  expect(Object.fromEntries(registered)).toEqual({ crate: first, barrel: first });
});

it('that is a preview returns the change, and makes none', async () => {
  await put(first);
  expect(await put(second, { isPreview: true })).toMatchObject({
    change: 'update',
    version: second,
    record: { version: second },
  });
  expect([version, registered.size]).toEqual([first, 0]);
});

it('changes nothing when the incompatible resources are unknown', async () => {
  const refusal = new FairleadError('unavailable', 'busy');
  deps = { ...deps, schemas: { ...deps.schemas, validate: () => Promise.reject(refusal) } };
  await expect(put(first)).rejects.toBe(refusal);
  expect(version).toBe(undefined);
});

describe('a version that lacks a type with resources', () => {
  beforeEach(() => {
    resources = Array.from({ length: 23 }, (_, index) => ({
      provider: 'box',
      resource: 'barrel',
      name: `b${index}`,
      config,
      state: index === 0 ? 'draft' : 'ready',
    }));
  });

  it.each([{ isPreview: true }, {}])('is refused with their names and number, %j', async (more) => {
    await expect(put(second, more)).rejects.toMatchObject({
      code: 'type_in_use',
      message: `Version ${second} of box lacks type barrel, which has 23 resources`,
      context: {
        provider: 'box',
        version: second,
        types: ['barrel'],
        resource_count: 23,
        resources: resources.slice(0, 20).map(({ name }) => `box/barrel/${name}`),
      },
    });
    expect(version).toBe(undefined);
  });

  it('is accepted when the types are to be retired', async () => {
    await put(second, { retireTypes: true });
    expect(version).toBe(second);
  });

  it('is accepted when the type is retired already', async () => {
    definitions = definitions.map((each) =>
      each.resource === 'barrel' ? { ...each, retired: { version: first, at: '' } } : each,
    );
    await put(second);
    expect(version).toBe(second);
  });
});
