// From changes of objects to keys of the queue.
import { expect, it } from 'vitest';
import type { Key, KubeObject } from '../../../src/kube/api.ts';
import { either, type KeyMap, watchCache } from '../../../src/kube/controller.ts';
import type { Priority } from '../../../src/kube/queue/workqueue.ts';
import { objectCache } from '../../support/fixtures/object-cache.ts';

interface Thing extends KubeObject {
  readonly owner: string;
}

function aThing(name: string, owner: string): Thing {
  return { metadata: { name, namespace: 'a' }, owner };
}

function subscribed(map?: KeyMap<Thing>, ...objects: readonly Thing[]) {
  const cache = objectCache<Thing>(...objects);
  const queued: [Priority, ...Key[]][] = [];
  const end = watchCache(cache, map).subscribe((keys, priority) =>
    queued.push([priority, ...keys]),
  );
  return { cache, queued, end };
}

it('queues existing objects as a sweep, and every change: additions, changes and removals', () => {
  const { cache, queued, end } = subscribed(undefined, aThing('old', 'o'));
  cache.put(aThing('new', 'o'));
  cache.put(aThing('old', 'p'));
  cache.remove('a/new');
  end();
  cache.remove('a/old');
  expect(queued).toEqual([
    ['sweep', 'a/old'],
    ['fresh', 'a/new'],
    ['fresh', 'a/old'],
    ['fresh', 'a/new'],
  ]);
});

it('passes the old and the new object to a map, undefined if there is none', () => {
  const seen: unknown[] = [];
  const { cache } = subscribed((...change) => {
    seen.push(change);
    return [];
  });
  const [first, second] = [aThing('x', 'o'), aThing('x', 'p')];
  cache.put(first);
  cache.put(second);
  cache.remove('a/x');
  expect(seen).toEqual([
    ['a/x', undefined, first],
    ['a/x', first, second],
    ['a/x', second, undefined],
  ]);
});

it('maps to the keys of the old and the new object, each once', () => {
  const { cache, queued } = subscribed(either(({ owner }) => [owner]));
  cache.put(aThing('x', 'o'));
  cache.put(aThing('x', 'o'));
  cache.put(aThing('x', 'p'));
  cache.remove('a/x');
  expect(queued.map(([, ...keys]) => keys)).toEqual([['o'], ['o'], ['p', 'o'], ['p']]);
});
