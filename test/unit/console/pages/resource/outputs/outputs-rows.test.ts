import { expect, it } from 'vitest';
import { changesIn } from '../../../../../../src/console/pages/resource/history/changes.ts';
import { outputRows } from '../../../../../../src/console/pages/resource/outputs/outputs-rows.ts';
import { placeFor, placeOfLink } from '../../../../../../src/console/router/places.ts';
import { atPointer } from '../../../../../../src/lib/json.ts';

it('shows outputs as rows, and hidden ones as one', () => {
  const outputs = { url: 'x', hosts: [{ 'a/b': 1 }, 2], none: {}, list: [], key: { secret: 's' } };
  const rows = outputRows(outputs, new Set(['/key']));
  expect(rows.map(({ path, isHidden }) => `${path}${isHidden ? ' hidden' : ''}`)).toEqual([
    ...['url', 'hosts.0["a/b"]', 'hosts.1', 'none', 'list', 'key hidden'],
  ]);
  expect(rows.map(({ pointer }) => atPointer(outputs, pointer))).toEqual([
    ...['x', 1, 2, {}, [], { secret: 's' }],
  ]);
  expect(outputRows({}, new Set())).toEqual([]);
  expect(outputRows({}, new Set(['']))).toMatchObject([{ path: 'outputs', isHidden: true }]);
});

it('shows very many outputs by their first names, with what is in them hidden', () => {
  const outputs = { many: Array.from({ length: 600 }, (_, at) => at), one: 1 };
  expect(outputRows(outputs, new Set(['/many/7']))).toMatchObject([
    { path: 'many', isHidden: true },
    { path: 'one', isHidden: false },
  ]);
});

it('names paths of the history as differences do', () => {
  const entry = { revision: 2, hash: null, applied_at: null, applied_by: null };
  const changes = [{ path: '/config/a~1b/0', change: 'added' as const, after: 1 }];
  expect(changesIn({ ...entry, current: true, kept: true, changes })).toEqual([
    { path: 'config.a/b.0', kind: 'added', before: undefined, after: 1 },
  ]);
});

it('leads to where a step is taken', () => {
  const why = '';
  expect(placeFor({ do: 'retry_dead_letters', why, cause: 'c' })).toEqual({
    ...{ page: 'dead-letters', query: { cause: 'c' } },
  });
  expect(placeFor({ do: 'read_logs', why, resource: 'a/b/c' })).toMatchObject({
    ...{ page: 'resource', path: ['a', 'b', 'c'], query: { show: 'events' } },
  });
  expect(placeFor({ do: 'read_logs', why, provider: 'a' })).toMatchObject({
    ...{ page: 'providers', path: ['a'] },
  });
  expect(placeFor({ do: 'wait', why, resource: 'a/b/c' })).toBeUndefined();
  const link = { reason: null, message: null, since: null, via: null };
  expect(
    placeOfLink({ ...link, kind: 'resource', ref: 'a/b/c', state: 'missing' }),
  ).toBeUndefined();
  expect(placeOfLink({ ...link, kind: 'type', ref: 'a/b', state: 'missing' })).toEqual({
    ...{ page: 'types', path: ['a', 'b'] },
  });
});
