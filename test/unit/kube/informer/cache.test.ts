// Which of two versions is newer, and what the cache keeps.
import { describe, expect, it } from 'vitest';
import { type KubeObject, keyFor } from '../../../../src/kube/api.ts';
import { createCache, isNewer } from '../../../../src/kube/informer/cache.ts';

describe('a version', () => {
  it.each<[string | undefined, string | undefined, boolean]>([
    ['2', '1', true],
    ['1', '2', false],
    ['1', '1', false],
    ['10', '9', true],
    ['9', '10', false],
    ['1000', '999', true],
    // Beyond what a number holds.
    ['9007199254740993', '9007199254740992', true],
    ['9007199254740992', '9007199254740993', false],
    ['1', undefined, true],
    [undefined, '1', false],
    [undefined, undefined, false],
  ])('%s is newer than %s: %s', (candidate, known, expected) => {
    expect(isNewer(candidate, known)).toBe(expected);
  });
});

describe('the cache', () => {
  const one = { metadata: { name: 'one', namespace: 'a' } };
  const two = { metadata: { name: 'two', namespace: 'b' } };
  const everywhere = { metadata: { name: 'one' } };

  it('finds objects by namespace, and those without one by name', () => {
    const cache = createCache();
    for (const object of [one, two, everywhere]) cache.set(keyFor(object.metadata), object);
    expect([...cache.items('a')]).toEqual([one]);
    expect([...cache.items('nowhere')]).toEqual([]);
    expect([cache.count('a'), cache.count('nowhere')]).toEqual([1, 0]);
    expect([...cache.items()]).toEqual([one, two, everywhere]);
    expect(cache.get('one')).toBe(everywhere);
    expect(cache.get('a/one')).toBe(one);
  });

  it('removes deleted objects from both indexes', () => {
    const cache = createCache();
    for (const object of [one, two]) cache.set(keyFor(object.metadata), object);
    cache.delete('a/one');
    cache.delete('a/never');
    expect(cache.has('a/one')).toBe(false);
    expect([...cache.items('a')]).toEqual([]);
    expect(cache.size).toBe(1);
  });

  it('keeps one object per key', () => {
    const cache = createCache();
    const newer = { metadata: { ...one.metadata, resourceVersion: '2' } };
    cache.set('a/one', one);
    cache.set('a/one', newer);
    expect([...cache.items('a')]).toEqual([newer]);
  });

  it('removes fields that are not read', () => {
    const cache = createCache();
    cache.set('one', { metadata: { name: 'one', ...{ managedFields: [{}] } } });
    expect(cache.get('one')?.metadata).toEqual({ name: 'one' });
  });

  it('shares what is equal with the version before', () => {
    const cache = createCache<KubeObject & { spec: object }>();
    const version = (resourceVersion: string) => ({
      metadata: { name: 'one', resourceVersion },
      spec: { config: { size: 1 } },
    });
    cache.set('one', version('1'));
    const before = cache.get('one');
    cache.set('one', version('2'));
    expect(cache.get('one')).toEqual(version('2'));
    expect(cache.get('one')?.spec).toBe(before?.spec);
  });
});
