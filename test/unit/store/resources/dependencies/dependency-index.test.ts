import { expect, it } from 'vitest';
import type { Resource } from '../../../../../src/crds/resource.ts';
import type { Dependency } from '../../../../../src/domain/lifecycle.ts';
import {
  createDependencyIndex,
  resourceKeyOf,
} from '../../../../../src/store/resources/dependencies/dependency-index.ts';
import { aResource } from '../../../../support/fixtures/builders.ts';
import { objectCache } from '../../../../support/fixtures/object-cache.ts';

const namespace = 'fl-acme-0123456789ab';
const tuple = (name: string): Dependency => ({ provider: 'pg', resource: 'db', name });
const keyAt = (name: string, where = namespace) => resourceKeyOf(where, tuple(name));
const slash = (...names: string[]) => names.map((name) => `pg/db/${name}`);

interface Node {
  readonly on?: readonly string[];
  readonly refers?: readonly string[];
  readonly generation?: number;
  readonly uid?: string;
  readonly namespace?: string;
  readonly project?: string;
}

function node(name: string, { on = [], refers = [], project = 'p', ...metadata }: Node = {}) {
  const config = { list: refers.map((each) => `\${pg/db/${each}.outputs.url}`) };
  const key = keyAt(name, metadata.namespace);
  const object = aResource({
    spec: { ...tuple(name), project, config, dependencies: on.map(tuple) },
    metadata: { ...metadata, name: key.slice(key.indexOf('/') + 1) },
  });
  return object;
}

it('finds the dependents of a resource, declared and by reference, existing or not', () => {
  const index = createDependencyIndex(
    objectCache<Resource>(
      node('app', { on: ['db'] }),
      node('job', { refers: ['db', 'missing'] }),
      node('db'),
    ),
  );
  expect([...index.usersOf(keyAt('db'))]).toEqual([keyAt('app'), keyAt('job')]);
  expect([...index.usersOf(keyAt('missing'))]).toEqual([keyAt('job')]);
  expect([...index.usersOf(keyAt('app'))]).toEqual([]);
  expect(index.dependenciesOf(keyAt('job'))).toEqual([tuple('db'), tuple('missing')]);
});

it('drops the dependencies that a newer spec removed', () => {
  const cache = objectCache<Resource>(node('app', { on: ['db'] }));
  const index = createDependencyIndex(cache);
  cache.put(node('app', { on: ['cache'], generation: 2 }));
  expect([...index.usersOf(keyAt('db'))]).toEqual([]);
  expect([...index.usersOf(keyAt('cache'))]).toEqual([keyAt('app')]);
});

it('updates for another object under the same name with the same generation', () => {
  const cache = objectCache<Resource>(node('app', { on: ['db'] }));
  const index = createDependencyIndex(cache);
  cache.put(node('app', { on: ['cache'], uid: 'uid-2' }));
  expect([...index.usersOf(keyAt('db'))]).toEqual([]);
});

it('drops a deleted resource', () => {
  const cache = objectCache<Resource>(node('app', { on: ['db'] }));
  const index = createDependencyIndex(cache);
  cache.remove(keyAt('app'));
  expect([...index.usersOf(keyAt('db'))]).toEqual([]);
  expect(index.dependenciesOf(keyAt('app'))).toEqual([]);
});

it('applies a write before the cache has it, and ignores older updates', () => {
  const cache = objectCache<Resource>();
  const index = createDependencyIndex(cache);
  index.note(node('app', { on: ['new'], generation: 2 }));
  expect([...index.usersOf(keyAt('new'))]).toEqual([keyAt('app')]);
  cache.put(node('app', { on: ['old'], generation: 1 }));
  expect([...index.usersOf(keyAt('new'))]).toEqual([keyAt('app')]);
  expect([...index.usersOf(keyAt('old'))]).toEqual([]);
});

it('separates namespaces', () => {
  const index = createDependencyIndex(
    objectCache<Resource>(node('app', { on: ['db'], namespace: 'fl-other-0123456789ab' })),
  );
  expect([...index.usersOf(keyAt('db'))]).toEqual([]);
});

const start = (name: string) => ({ ...tuple(name), projectId: 'p' });

const graphs = {
  'no dependencies': [{ a: [] }, undefined],
  'a chain': [{ a: ['b'], b: ['c'], c: [] }, undefined],
  'a diamond': [{ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, undefined],
  'a missing one': [{ a: ['missing'] }, undefined],
  itself: [{ a: ['a'] }, ['a', 'a']],
  'two that depend on each other': [{ a: ['b'], b: ['a'] }, ['a', 'b', 'a']],
  'a long cycle': [{ a: ['x', 'b'], b: ['x', 'c'], c: ['x', 'a'], x: [] }, ['a', 'b', 'c', 'a']],
  'a cycle that it leads into without being a part': [{ a: ['b'], b: ['c'], c: ['b'] }, undefined],
} satisfies Record<string, [Record<string, string[]>, string[] | undefined]>;

it.each(Object.entries(graphs))('searches a cycle in %s', (_name, [graph, want]) => {
  const index = createDependencyIndex(
    objectCache<Resource>(...Object.entries(graph).map(([name, on]) => node(name, { on }))),
  );
  expect(index.cycleThrough(namespace, start('a'))).toEqual(want && slash(...want));
});

it('uses the future dependencies of a resource instead of the current ones', () => {
  const index = createDependencyIndex(
    objectCache<Resource>(node('a', { on: ['b'] }), node('b', { on: ['a'] })),
  );
  expect(index.cycleThrough(namespace, start('a'), { dependencies: [] })).toBeUndefined();
  expect(
    index.cycleThrough(namespace, start('new'), { dependencies: [tuple('a')] }),
  ).toBeUndefined();
  expect(index.cycleThrough(namespace, start('a'), { dependencies: [tuple('b')] })).toEqual(
    slash('a', 'b', 'a'),
  );
});

it('finds no cycle across projects', () => {
  const index = createDependencyIndex(
    objectCache<Resource>(node('b', { on: ['a'], project: 'other' })),
  );
  expect(index.cycleThrough(namespace, start('a'), { dependencies: [tuple('b')] })).toBeUndefined();
  expect(
    index.cycleThrough(
      namespace,
      { ...tuple('a'), projectId: 'other' },
      { dependencies: [tuple('b')] },
    ),
  ).toEqual(slash('a', 'b', 'a'));
});

it('searches a chain of ten thousand with repeated dependencies in time', () => {
  const count = 10_000;
  const objects = Array.from({ length: count }, (_, at) =>
    node(`n${at}`, { on: [`n${(at + 1) % count}`, `n${(at + 2) % count}`] }),
  );
  const index = createDependencyIndex(objectCache<Resource>(...objects));
  const cycle = index.cycleThrough(namespace, start('n0'));
  expect(cycle?.[0]).toBe('pg/db/n0');
  expect(cycle?.at(-1)).toBe('pg/db/n0');
});
