// Interruptions between the writes of a deploy: stores in memory that a test can stop, or fail, at a write.
import { beforeEach, expect, it } from 'vitest';
import { ErrorCode, FairleadError } from '../../../../src/domain/errors.ts';
import { organizationOf } from '../../../../src/domain/identity.ts';
import { defaultLimits } from '../../../../src/domain/limits.ts';
import { type DeployingDeps, deploy } from '../../../../src/http/routes/deploy.ts';
import type { BuildRecord } from '../../../../src/store/builds/store.ts';
import type { ProviderRecord } from '../../../../src/store/providers/store.ts';
import type { DefinitionRecord, ResourceRecord } from '../../../../src/store/records.ts';

const acme = organizationOf('https://issuer.test', 'acme');
const first = '20260101.000001';
const second = '20260101.000002';
const config = { size: 1 };

let version: string | undefined;
/** Descriptions by type; here they say which version registered them. */
let types: Map<string, string>;
/** Called before each write of a type. */
let beforeRegister: (description: string) => Promise<void>;
let deps: DeployingDeps;

const buildOf = (jobName: string) => {
  const made = jobName.endsWith('1') ? first : second;
  const type = { description: made, schema: { type: 'object' } };
  const builtTypes = ['crate', 'barrel'].map((resource) => ({ resource, ...type }));
  return { provider: 'box', version: made, phase: 'success', types: builtTypes } as const;
};

beforeEach(() => {
  version = undefined;
  types = new Map();
  beforeRegister = () => Promise.resolve();
  deps = {
    builds: {
      get: (_organization, _provider, jobName) =>
        Promise.resolve(buildOf(jobName) as unknown as BuildRecord),
      list: () => Promise.resolve([]),
    },
    providers: {
      find: () => Promise.resolve({ provider: 'box', version } as ProviderRecord),
      deploy: (_organization, provider, wanted) => {
        ({ version } = wanted);
        return Promise.resolve({ provider, version } as ProviderRecord);
      },
      previewDeploy: (_organization, provider, wanted) =>
        Promise.resolve({
          change: 'update',
          record: { provider, version: wanted.version } as ProviderRecord,
        }),
    },
    quota: { limitsOf: () => defaultLimits },
    definitions: {
      register: async (_organization, { resource, description }) => {
        await beforeRegister(description);
        types.set(resource, description);
        return { resource } as DefinitionRecord;
      },
    },
    resources: {
      list: () => {
        const records = [
          { resource: 'crate', config, state: 'ready' } as unknown as ResourceRecord,
        ];
        return Promise.resolve({ records, next: undefined });
      },
    },
    schemas: {
      checkSchema: () => Promise.resolve([]),
      validate: () => Promise.resolve([]),
    },
  };
});

const put = (wanted: string) =>
  deploy(deps, acme, { provider: 'box', version: wanted, strict: false });

it('that is overtaken keeps the types of the final version', async () => {
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  beforeRegister = (description) => {
    if (description !== first) return Promise.resolve();
    reached.resolve();
    return goOn.promise;
  };
  const slow = put(first);
  await reached.promise;
  await put(second);
  goOn.resolve();
  await slow;
  expect(version).toBe(second);
  expect(Object.fromEntries(types)).toEqual({ crate: second, barrel: second });
});

it('that stops between its types is completed by the same request', async () => {
  let left = 1;
  beforeRegister = () => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('gone')) : Promise.resolve();
  };
  await expect(put(first)).rejects.toThrow('gone');
  expect([version, types.size]).toEqual([first, 1]);
  beforeRegister = () => Promise.resolve();
  await put(first);
  expect(Object.fromEntries(types)).toEqual({ crate: first, barrel: first });
});

it('that is rejected registers nothing', async () => {
  const refusal = new FairleadError(ErrorCode.conflict, 'runs elsewhere');
  deps = { ...deps, providers: { ...deps.providers, deploy: () => Promise.reject(refusal) } };
  await expect(put(first)).rejects.toBe(refusal);
  expect(types.size).toBe(0);
});

it('that is a preview returns the change, and makes none', async () => {
  await put(first);
  types.clear();
  const wanted = { provider: 'box', version: second, strict: false, isPreview: true };
  expect(await deploy(deps, acme, wanted)).toMatchObject({
    change: 'update',
    version: second,
    record: { version: second },
  });
  expect([version, types.size]).toEqual([first, 0]);
});

it('changes nothing when the incompatible resources are unknown', async () => {
  const refusal = new FairleadError(ErrorCode.unavailable, 'busy');
  deps = { ...deps, schemas: { ...deps.schemas, validate: () => Promise.reject(refusal) } };
  await expect(put(first)).rejects.toBe(refusal);
  expect([version, types.size]).toEqual([undefined, 0]);
});
