import { describe, expect, it } from 'vitest';
import {
  countsOf,
  driftCount,
  type Filter,
  type ListedResource,
  ranked,
  selected,
  wordCounts,
} from '../../../../../src/console/pages/resources/model.ts';

function aResource(address: string, changes: Partial<ListedResource> = {}): ListedResource {
  const [provider = '', resource = '', name = ''] = address.split('/');
  return {
    id: `resource:${provider}_${resource}_${name}`,
    provider,
    resource,
    name,
    project_id: 'default-0f1e2d3c4b5a',
    project_name: 'default',
    lifecycle_state: 'ready',
    reason: 'Processed',
    drift: null,
    tags: null,
    deletion_requested_at: null,
    ...changes,
  };
}

const resources = [
  aResource('pg/database/a', { tags: ['blue'] }),
  aResource('pg/role/b', { lifecycle_state: 'failed' }),
  aResource('pg/role/c', {
    lifecycle_state: 'processing',
    deletion_requested_at: '2026-01-31T12:00:00Z',
  }),
  aResource('store/pg/d', { lifecycle_state: 'pending', project_id: 'web', project_name: 'web' }),
  aResource('store/bucket/pg-e', { lifecycle_state: 'draft' }),
  aResource('store/bucket/f', {
    lifecycle_state: 'failed',
    deletion_requested_at: '2026-01-31T12:00:00Z',
  }),
];
const nothing: Filter = {
  ...{ text: '', state: undefined, project: undefined, tag: undefined },
  isDrifted: false,
};
const names = (found: readonly ListedResource[]) => found.map(({ name }) => name).join(' ');

describe('the table of resources', () => {
  it('begins with what failed', () => {
    expect(names(ranked(resources))).toBe('b f c d pg-e a');
  });

  it('has what drifted after what failed, and counts it as ready, too', () => {
    const drift = { since: '', kind: 'changed', changes: [], total: 1, compared: 3, unknown: 0 };
    const all = [
      ...resources,
      aResource('pg/role/g', { drift: { ...drift, kind: 'changed' } }),
      aResource('pg/role/h', { drift: { ...drift, kind: 'gone' } }),
      // Its correction is under way.
      aResource('pg/role/i', { drift: { ...drift, kind: 'gone' }, lifecycle_state: 'pending' }),
    ];
    expect(names(ranked(all))).toBe('b f h g c i d pg-e a');
    expect(driftCount(all)).toBe(3);
    expect(countsOf(all).ready).toBe(3);
    expect(wordCounts(all).map(([word, count]) => `${word} ${count}`)).toEqual([
      ...['failed 2', 'gone 1', 'drifted 1', 'deleting 1', 'pending 2', 'draft 1', 'ready 1'],
    ]);
    expect(names(selected(all, { ...nothing, isDrifted: true }).shown)).toBe('g h i');
    expect(driftCount(resources)).toBe(0);
  });

  it('counts what is being deleted as such, and a deletion that failed as both', () => {
    expect(countsOf(resources)).toEqual({
      failed: 2,
      deleting: 2,
      processing: 0,
      pending: 1,
      draft: 1,
      ready: 1,
    });
  });

  it.each<[string, Partial<Filter>, string]>([
    ['everything', {}, 'a b c d pg-e f'],
    ['a project by name', { project: 'default' }, 'a b c pg-e f'],
    ['a project by id', { project: 'default-0f1e2d3c4b5a' }, 'a b c pg-e f'],
    ['a provider', { text: 'pg' }, 'a b c'],
    ['a type', { text: 'pg/role' }, 'b c'],
    ['one', { text: ' pg/role/c ' }, 'c'],
    ['an id', { text: 'resource:pg_role_b' }, 'b'],
    ['a wildcard', { text: '*/*/pg-*' }, 'pg-e'],
    ['a wildcard without a match', { text: 'x*' }, ''],
    ['a part of a name', { text: 'ucket/PG' }, 'pg-e'],
    ['what is no selector', { text: '<script>' }, ''],
    ['a state', { state: 'failed' }, 'b f'],
    ['deletion, also one that failed', { state: 'deleting' }, 'c f'],
    ['a project', { project: 'web' }, 'd'],
    ['a tag', { tag: 'blue' }, 'a'],
    ['several', { text: 'pg', state: 'failed', tag: 'blue' }, ''],
  ])('selects %s', (_, filter, expected) => {
    expect(names(selected(resources, { ...nothing, ...filter }).shown)).toBe(expected);
  });
});
