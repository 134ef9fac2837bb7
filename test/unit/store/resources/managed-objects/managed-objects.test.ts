import { expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import { organizationOf } from '../../../../../src/domain/identity.ts';
import type { ObjectIdentity } from '../../../../../src/domain/objects/identity.ts';
import { identityDigest } from '../../../../../src/domain/objects/identity-digest.ts';
import { type Key, keyFor, type ObjectRef } from '../../../../../src/kube/api.ts';
import type { JsonObject } from '../../../../../src/lib/json.ts';
import {
  createDependencyIndex,
  resourceKeyOf,
} from '../../../../../src/store/resources/dependencies/dependency-index.ts';
import {
  createIdentityIndex,
  type IdentityIndex,
} from '../../../../../src/store/resources/managed-objects/identity-index.ts';
import { createManagedObjects } from '../../../../../src/store/resources/managed-objects/index.ts';
import { aResource } from '../../../../support/fixtures/builders.ts';
import { objectCache } from '../../../../support/fixtures/object-cache.ts';

const organization = organizationOf('https://issuer.test', 'acme');
const { namespace } = organization;
const type = { provider: 'box', resource: 'crate' };
const id = (text: string) => ({ id: text });
const keyAt = (name: string) => resourceKeyOf(namespace, { ...type, name });

const othersOf = (claimants: IdentityIndex, key: Key) =>
  claimants.othersLike({ ...type, namespace }, key);

interface Given {
  readonly adopt?: JsonObject;
  readonly spec?: object;
  readonly metadata?: object;
  readonly status?: object;
}

function resource(name: string, { adopt, spec, metadata, status }: Given = {}): Resource {
  const made = aResource({
    spec: { ...type, name, project: 'p', ...(adopt && { adopt: adopt as never }), ...spec },
    metadata: { namespace, name: keyAt(name).slice(namespace.length + 1), uid: name, ...metadata },
  });
  return status === undefined ? made : ({ ...made, status } as Resource);
}

const nobody = { get: () => Promise.reject(new Error('reads the cache')) };

function world(...resources: readonly Resource[]) {
  return identified(undefined, ...resources);
}

function identified(first: ObjectIdentity | undefined, ...resources: readonly Resource[]) {
  let declared = first;
  const declare = (next: ObjectIdentity | undefined) => {
    declared = next;
  };
  const cache = objectCache<Resource>(...resources);
  const claimants = createIdentityIndex(cache, { of: () => declared });
  const dependencies = createDependencyIndex(cache);
  const known = (ref: ObjectRef) => cache.get(keyFor(ref));
  const { managerOf } = createManagedObjects({ client: nobody, claimants, dependencies, known });
  const managing = (adopt: JsonObject, name?: string, of = type) =>
    managerOf(organization, { ...of, adopt, name })?.name;
  return { cache, claimants, dependencies, managing, declare };
}

it('knows a resource by what it adopts, whatever the order of members, and only of the same type', () => {
  const { managing } = world(resource('a', { adopt: { zone: 'eu', id: 1 } }), resource('b'));
  expect(managing({ id: 1, zone: 'eu' })).toBe('a');
  expect(managing({ id: 2, zone: 'eu' })).toBeUndefined();
  expect(managing({ id: 1, zone: 'eu' }, undefined, { ...type, resource: 'box' })).toBeUndefined();
});

it('knows another one by its name, and its project', () => {
  const { cache, managing, dependencies } = world(resource('b', { spec: { project: 'q' } }));
  expect(managing(id('x'), 'b')).toBe('b');
  expect(dependencies.projectIdOf(keyAt('b'))).toBe('q');
  expect(managing(id('x'), 'c')).toBeUndefined();
  expect(managing(id('x'), 'no name of a resource')).toBeUndefined();
  cache.remove(keyAt('b'));
  expect(managing(id('x'), 'b')).toBeUndefined();
});

it('follows changes: a newer spec, another object of the name, a removal, a write that the cache has not received', () => {
  const { cache, claimants, managing } = world(resource('a', { adopt: id('1') }));
  cache.put(resource('a', { adopt: id('2'), metadata: { generation: 2 } }));
  expect([managing(id('1')), managing(id('2'))]).toEqual([undefined, 'a']);
  cache.put(resource('a', { adopt: id('3'), metadata: { uid: 'later' } }));
  expect([managing(id('2')), managing(id('3'))]).toEqual([undefined, 'a']);
  cache.put(resource('a', { metadata: { uid: 'later', generation: 2 } }));
  expect(managing(id('3'))).toBeUndefined();
  claimants.note(resource('b', { adopt: id('4'), metadata: { generation: 2 } }));
  expect(managing(id('4'))).toBe('b');
  cache.put(resource('b', { adopt: id('old') }));
  expect([managing(id('4')), managing(id('old'))]).toEqual(['b', undefined]);
  cache.remove(keyAt('b'));
  expect(managing(id('4'))).toBeUndefined();
});

const at = (creationTimestamp: string) => ({ creationTimestamp });
const [early, late] = [at('2026-01-01T00:00:00Z'), at('2026-01-01T00:00:01Z')];
const ready = { appliedConfig: {} };
const several: Record<string, readonly [Given, Given, string]> = {
  'the older one': [{ metadata: late }, { metadata: early }, 'b'],
  'one of the same second by its uid': [{ metadata: early }, { metadata: early }, 'a'],
  'the one that has the object': [{ metadata: early }, { metadata: late, status: ready }, 'b'],
  'a committed one before a draft': [
    { metadata: early, spec: { lifecycle: 'Draft' } },
    { metadata: late },
    'b',
  ],
};
it.each(Object.entries(several))('of several with one adopt, takes %s', (_name, [a, b, want]) => {
  const adopt = id('1');
  const { managing, claimants } = world(
    resource('a', { adopt, ...a }),
    resource('b', { adopt, ...b }),
  );
  expect(managing(adopt)).toBe(want);
  expect(othersOf(claimants, keyAt('a')).map(({ name }) => name)).toEqual(['b']);
});

it('keeps drafts apart, until they are committed', () => {
  const draft = { adopt: id('1'), spec: { lifecycle: 'Draft' } };
  const { cache, claimants, managing } = world(resource('a', draft), resource('b', draft));
  const of = { namespace, ...type };
  const identity = claimants.ofAdopt(of, id('1'));
  expect([claimants.claimantsOf(of, identity), othersOf(claimants, keyAt('a'))]).toEqual([[], []]);
  expect(managing(id('1'))).toBe('a');
  cache.put(resource('b', { adopt: id('1'), metadata: { generation: 2 } }));
  expect(othersOf(claimants, keyAt('a')).map(({ name }) => name)).toEqual(['b']);
  expect(managing(id('1'))).toBe('b');
  cache.remove(keyAt('b'));
  cache.remove(keyAt('a'));
  expect(managing(id('1'))).toBeUndefined();
});

it('reads an adopt once for each spec, however often objects are listed', () => {
  let reads = 0;
  const counted = new Proxy({ id: '1' } as JsonObject, {
    ownKeys(target) {
      reads += 1;
      return Reflect.ownKeys(target);
    },
  });
  const { cache, managing } = world(resource('a', { adopt: counted }));
  const once = reads;
  cache.put(resource('a', { adopt: counted, status: ready }));
  for (let time = 0; time < 100; time += 1) expect(managing(id('1'))).toBe('a');
  expect(once).toBeGreaterThan(0);
  expect(reads).toBe(once);
});

const byId: ObjectIdentity = { outputs: { id: '/cloud/id' }, adopt: { id: '/id' } };
const made = (text: string, more: object = {}) => ({
  status: { outputs: { cloud: { id: text } }, appliedConfig: {}, ...more },
});

it('knows a resource by the identity in its outputs, whoever made the object', () => {
  const { cache, managing, claimants } = identified(
    byId,
    resource('created', made('1')),
    resource('imported', { adopt: { id: '2', zone: 'eu' }, ...made('2') }),
    resource('importing', { adopt: id('3') }),
    resource('observed', made('4', { management: 'Observed' })),
    resource('5'),
  );
  const names = ['1', '2', '3', '4', '5', '6'].map((each) => managing(id(each), each));
  expect(names).toEqual(['created', 'imported', 'importing', 'observed', '5', undefined]);
  cache.put(resource('5', made('other', { identity: 'i' })));
  expect(managing(id('5'), '5'), 'it has another object').toBeUndefined();
  cache.put(resource('created', { ...made('7'), metadata: { generation: 2 } }));
  expect([managing(id('1')), managing(id('7'))], 'renamed').toEqual([undefined, 'created']);
  expect(othersOf(claimants, keyAt('created'))).toEqual([]);
  cache.put(resource('second', made('7')));
  expect(othersOf(claimants, keyAt('created')).map(({ name }) => name)).toEqual(['second']);
  cache.remove(keyAt('created'));
  expect(managing(id('7'))).toBe('second');
});

it('indexes a type again that declares another identity, and keeps what outputs of before lack', () => {
  const { managing, declare } = identified(
    undefined,
    resource('a', made('1')),
    resource('b', {
      status: { outputs: { name: 'n' }, identity: identityDigest({ id: '/id' }, { id: '2' }) },
    }),
  );
  expect([managing(id('1')), managing(id('2'))]).toEqual([undefined, undefined]);
  declare(byId);
  expect([managing(id('1')), managing(id('2'))]).toEqual(['a', 'b']);
  declare({ outputs: { name: '/name' }, adopt: { name: '/name' } });
  expect([managing(id('1')), managing({ name: 'n' })]).toEqual([undefined, 'b']);
});

it('does not take the refused CREATE of an object for its resource', () => {
  const identity = identityDigest(byId.adopt, id('1'));
  const { managing, claimants } = identified(
    byId,
    resource('refused', { status: { identity } }),
    resource('owner', made('1')),
  );
  expect(managing(id('1'))).toBe('owner');
  expect(othersOf(claimants, keyAt('owner'))).toEqual([]);
  expect(othersOf(claimants, keyAt('refused')).map(({ name }) => name)).toEqual(['owner']);
});

it('knows the others of a resource that was received before its type', () => {
  const { claimants, declare } = identified(
    undefined,
    resource('first', { status: { outputs: id('1') } }),
    resource('second', { status: { outputs: id('1') } }),
  );
  expect(othersOf(claimants, keyAt('second'))).toEqual([]);
  declare({ outputs: { id: '/id' }, adopt: { id: '/id' } });
  expect(othersOf(claimants, keyAt('second')).map(({ name }) => name)).toEqual(['first']);
});
