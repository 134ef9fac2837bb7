import { describe, expect, it } from 'vitest';
import { createTombstones, type Tombstone } from '../../../../src/store/watches/changes.ts';

function deletion(name: string, version: number, namespace = 'ours'): Tombstone {
  const tuple = { provider: 'box', resource: 'crate', name };
  const key = `${namespace}/${name}`;
  return { namespace, key, tuple, projectId: 'shop', version: `${version}`, exact: true };
}

describe('deletions since a version', () => {
  const tombstones = createTombstones(3);
  it('are unknown before the first list', () => {
    expect(tombstones.since('ours', '5')).toBeUndefined();
  });

  const all = [
    deletion('a', 11),
    deletion('a', 13),
    deletion('b', 14, 'theirs'),
    deletion('c', 105),
  ];
  it.each<[string, number, number, readonly number[] | undefined]>([
    ['all of the namespace, the last of each resource', 2, 10, [13]],
    ['none after the last one', 2, 13, []],
    ['unknown when older than the first list', 2, 9, undefined],
    ['unknown when the oldest has given way', 4, 10, undefined],
    ['known from the one on that has given way', 4, 11, [105, 13]],
    ['in the order of numbers, not of texts', 4, 14, [105]],
  ])('%s', (_name, count, since, expected) => {
    const kept = createTombstones(3);
    kept.begin('10');
    kept.begin('90');
    for (const each of all.slice(0, count)) kept.add(each);
    const found = kept.since('ours', `${since}`)?.map(({ version }) => Number(version));
    expect(found).toEqual(expected);
  });
});
