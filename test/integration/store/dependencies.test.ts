// A stale index must not decide about cycles and users, against a real API server.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Resource } from '../../../src/crds/resource.ts';
import { type Organization, organizationOf } from '../../../src/domain/identity.ts';
import type { KubeObject } from '../../../src/kube/api.ts';
import { apiVersion, kinds, namespaceKind } from '../../../src/store/kinds.ts';
import { requireNoCycle } from '../../../src/store/resources/apply/apply-checks.ts';
import {
  createDependencyIndex,
  resourceKeyOf,
} from '../../../src/store/resources/dependencies/dependency-index.ts';
import { requireUnused } from '../../../src/store/resources/dependencies/dependents.ts';
import { clientWithCrds } from '../../support/clients/shared-client.ts';
import { aResource } from '../../support/fixtures/builders.ts';

const client = clientWithCrds();

const head = { apiVersion, kind: 'Resource' };
const tuple = (name: string) => ({ provider: 'pg', resource: 'db', name });
const specOf = (name: string, on: readonly string[]): Resource['spec'] =>
  aResource({ spec: { ...tuple(name), project: 'p', dependencies: on.map(tuple) } }).spec;

/** An organization whose cache receives nothing: the test fills the index. */
async function organizationWith(resources: Readonly<Record<string, readonly string[]>>) {
  const organization: Organization = organizationOf('https://issuer.test', randomUUID());
  const { namespace } = organization;
  await client.create<KubeObject>(namespaceKind, { metadata: { name: namespace } });
  const refTo = (name: string) => {
    const key = resourceKeyOf(namespace, tuple(name));
    return { namespace, name: key.slice(namespace.length + 1) };
  };
  const index = createDependencyIndex({ onChange: () => () => undefined });
  for (const [name, on] of Object.entries(resources)) {
    const object = { ...head, metadata: refTo(name), spec: specOf(name, on) };
    index.note(await client.create<Resource>(kinds.resource, object));
  }
  const deps = { client, dependencies: index };
  return {
    change: (name: string, patch: object) =>
      client.patch<Resource>(kinds.resource, refTo(name), patch),
    remove: (name: string) => client.delete(kinds.resource, refTo(name)),
    wanting: (name: string, ...on: string[]) =>
      requireNoCycle(deps, organization, specOf(name, on)),
    deleting: (name: string, leaving = 'none') =>
      requireUnused(deps, organization, {
        records: [{ ...tuple(name), projectId: 'p' }],
        leaving,
      }),
  };
}

const nothing = { spec: { dependencies: [] } };

describe('a cycle in the index', () => {
  it('is rejected when stored that way', async () => {
    const { wanting } = await organizationWith({ b: ['c'], c: ['a'] });
    await expect(wanting('a', 'b')).rejects.toThrow(
      'The dependencies form a cycle: pg/db/a → pg/db/b → pg/db/c → pg/db/a',
    );
  });

  it('ends when one of them drops its dependency', async () => {
    const { wanting, change } = await organizationWith({ b: ['c'], c: ['a'] });
    await change('c', nothing);
    await expect(wanting('a', 'b')).resolves.toBeUndefined();
  });

  it('ends when one of them is deleted', async () => {
    const { wanting, remove } = await organizationWith({ b: ['c'], c: ['a'] });
    await remove('c');
    await expect(wanting('a', 'b')).resolves.toBeUndefined();
  });

  it('is checked again when one of two drops its dependency', async () => {
    const { wanting, change } = await organizationWith({ b: ['a'], c: ['a'] });
    await change('b', nothing);
    await expect(wanting('a', 'b', 'c')).rejects.toThrow('pg/db/a → pg/db/c → pg/db/a');
  });

  it('is printed with up to twenty resources', async () => {
    const on = (at: number) => (at === 29 ? 'a' : `n${at + 1}`);
    const names = Array.from({ length: 30 }, (_, at) => [`n${at}`, [on(at)]] as const);
    const { wanting } = await organizationWith(Object.fromEntries(names));
    await expect(wanting('a', 'n0')).rejects.toThrow(
      /cycle: pg\/db\/a .* pg\/db\/n18 → … → pg\/db\/a$/,
    );
  });
});

describe('a dependent in the index', () => {
  it('blocks while it uses the resource', async () => {
    const { deleting, change } = await organizationWith({ user: ['db'] });
    await expect(deleting('db')).rejects.toThrow('pg/db/db is used by 1 resource: pg/db/user');
    await expect(deleting('db', 'pg')).resolves.toBeUndefined();
    await change('user', nothing);
    await expect(deleting('db')).resolves.toBeUndefined();
  });

  it('does not block in deletion or when deleted', async () => {
    const { deleting, change, remove } = await organizationWith({ going: ['db'], gone: ['db'] });
    await change('going', { metadata: { finalizers: ['test.example/hold'] } });
    await remove('going');
    await remove('gone');
    await expect(deleting('db')).resolves.toBeUndefined();
  });

  it('does not block when the resource depends on it too', async () => {
    const { deleting } = await organizationWith({ a: ['b'], b: ['c'], c: ['a'], d: ['a'] });
    await expect(deleting('b')).resolves.toBeUndefined();
    await expect(deleting('a')).rejects.toThrow('used by 1 resource: pg/db/d');
  });

  it('is counted up to a hundred', async () => {
    const names = Array.from({ length: 120 }, (_, at) => [`u${at}`, ['db']] as const);
    const { deleting } = await organizationWith(Object.fromEntries(names));
    await expect(deleting('db')).rejects.toThrow(/is used by more than 100 resources: .*, …$/);
  });
});
