import { expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import { organizationOf } from '../../../../../src/domain/identity.ts';
import { keyFor, type ObjectRef } from '../../../../../src/kube/api.ts';
import type { JsonObject } from '../../../../../src/lib/json.ts';
import {
  createDependencyIndex,
  resourceKeyOf,
} from '../../../../../src/store/resources/dependencies/dependency-index.ts';
import { createAdoptIndex } from '../../../../../src/store/resources/managed-objects/adopt-index.ts';
import { createManagedObjects } from '../../../../../src/store/resources/managed-objects/index.ts';
import { aResource } from '../../../../support/fixtures/builders.ts';
import { objectCache } from '../../../../support/fixtures/object-cache.ts';

const organization = organizationOf('https://issuer.test', 'acme');
const { namespace } = organization;
const type = { provider: 'box', resource: 'crate' };
const id = (text: string) => ({ id: text });
const keyAt = (name: string) => resourceKeyOf(namespace, { ...type, name });

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
  const cache = objectCache<Resource>(...resources);
  const adopted = createAdoptIndex(cache);
  const dependencies = createDependencyIndex(cache);
  const known = (ref: ObjectRef) => cache.get(keyFor(ref));
  const { managerOf } = createManagedObjects({ client: nobody, adopted, dependencies, known });
  const managing = (adopt: JsonObject, name?: string, of = type) =>
    managerOf(organization, { ...of, adopt, name })?.name;
  return { cache, adopted, dependencies, managing };
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
  const { cache, adopted, managing } = world(resource('a', { adopt: id('1') }));
  cache.put(resource('a', { adopt: id('2'), metadata: { generation: 2 } }));
  expect([managing(id('1')), managing(id('2'))]).toEqual([undefined, 'a']);
  cache.put(resource('a', { adopt: id('3'), metadata: { uid: 'later' } }));
  expect([managing(id('2')), managing(id('3'))]).toEqual([undefined, 'a']);
  cache.put(resource('a', { metadata: { uid: 'later', generation: 2 } }));
  expect(managing(id('3'))).toBeUndefined();
  adopted.note(resource('b', { adopt: id('4'), metadata: { generation: 2 } }));
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
  const { managing, adopted } = world(
    resource('a', { adopt, ...a }),
    resource('b', { adopt, ...b }),
  );
  expect(managing(adopt)).toBe(want);
  expect(adopted.othersLike(keyAt('a')).map(({ name }) => name)).toEqual(['b']);
});

it('keeps drafts apart, until they are committed', () => {
  const draft = { adopt: id('1'), spec: { lifecycle: 'Draft' } };
  const { cache, adopted, managing } = world(resource('a', draft), resource('b', draft));
  const of = { namespace, ...type, adopt: id('1') };
  expect([adopted.importersOf(of), adopted.othersLike(keyAt('a'))]).toEqual([[], []]);
  expect(managing(id('1'))).toBe('a');
  cache.put(resource('b', { adopt: id('1'), metadata: { generation: 2 } }));
  expect(adopted.othersLike(keyAt('a')).map(({ name }) => name)).toEqual(['b']);
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
  cache.put(resource('a', { adopt: counted, status: ready }));
  for (let time = 0; time < 100; time += 1) expect(managing(id('1'))).toBe('a');
  expect(reads).toBe(1);
});
