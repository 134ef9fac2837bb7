import { expect, it } from 'vitest';
import { routeOf } from '../../../../src/console/router/address.ts';

it.each([
  ['', 'resources', '', ''],
  ['#/', 'resources', '', ''],
  ['#/resources?state=failed', 'resources', '', 'state=failed'],
  ['#/resource/pg/role/a%2Fb?show=history', 'resource', 'pg role a/b', 'show=history'],
  ['#/resources/pg/role/a', 'resource', 'pg role a', ''],
  ['#/resources/pg/role?state=failed', 'resources', '', 'state=failed&filter=pg%2Frole'],
  ['#/resource/pg', 'resources', '', 'filter=pg'],
  ['#/resource/pg/role/a/b', 'unknown', 'pg role a b', ''],
  ['#/provider/pg', 'providers', 'pg', ''],
  ['#/dead-letter', 'dead-letters', '', ''],
  ['#/set/web/shop?show=graph', 'sets', 'web shop', 'show=graph'],
  ['#/type/pg/role', 'types', 'pg role', ''],
  ['#/nonsense', 'unknown', '', ''],
])('%s is the page %s', (hash, page, path, query) => {
  const route = routeOf(hash);
  expect([route.page, route.path.join(' '), route.query.toString()]).toEqual([page, path, query]);
});
