import { describe, expect, it } from 'vitest';
import type { Method } from '../../../src/api/operations.ts';
import { InvalidRequest } from '../../../src/domain/errors.ts';
import type { Endpoint } from '../../../src/http/endpoint.ts';
import { noContent } from '../../../src/http/response/send.ts';
import {
  allowed,
  endpointFor,
  pathParameters,
  type Route,
  routeTable,
} from '../../../src/http/route-table.ts';

function at(method: Method, path: string): Endpoint {
  const answer = { status: 204, description: '' };
  const documentation = { tag: '', summary: '', answer };
  const handle = () => Promise.resolve(noContent);
  return { id: 'getHealth', method, path, access: 'public', exchange: {}, documentation, handle };
}

// The parameters come first: the order in which routes are given must not matter.
const find = routeTable([
  at('GET', '/resources/{provider}/{resource}/{name}'),
  at('GET', '/resources/{resource_id}'),
  at('DELETE', '/resources/{resource_id}'),
  at('POST', '/resources/apply'),
  at('GET', '/resources/'),
  at('DELETE', '/resources/unregister/{provider}/{resource}'),
  at('GET', '/health'),
]);

function found(path: string): Route {
  const route = find(path);
  if (route === undefined) throw new Error(`nothing at ${path}`);
  return route;
}

const paths: readonly (readonly [string, string])[] = [
  ['/health', '/health'],
  ['/health/', '/health'],
  ['/resources', '/resources/'],
  ['/resources/', '/resources/'],
  ['/resources/apply', '/resources/apply'],
  ['/resources/apply/', '/resources/apply'],
  ['/resources/a%2Fb%2Fc', '/resources/{resource_id}'],
  ['/resources/appl%79', '/resources/{resource_id}'],
  ['/resources/a:b:c/', '/resources/{resource_id}'],
  ['/resources/a/b/c', '/resources/{provider}/{resource}/{name}'],
  ['/resources/unregister/a/b', '/resources/unregister/{provider}/{resource}'],
];

it.each(paths)('%s is routed to %s', (path, pattern) => {
  expect(found(path).pattern).toBe(pattern);
});

const nowhere = [
  '',
  '/',
  '//',
  '*',
  '/Health',
  '/health//',
  '//health',
  '/resources//',
  '/resources/a/b',
  '/resources/a//c',
  '/resources//b/c',
  '/resources/a/b/c/d',
  '/healthz',
  '/{resource_id}',
];

it.each(nowhere)('%j has no route', (path) => {
  expect(find(path)).toBeUndefined();
});

describe('methods', () => {
  it('answers HEAD with the endpoint of GET', () => {
    const route = found('/health');
    expect(endpointFor(route, 'HEAD')).toBe(endpointFor(route, 'GET'));
    expect(endpointFor(found('/resources/apply'), 'HEAD')).toBeUndefined();
  });

  it('does not match a parameter when a literal has no such method', () => {
    expect(endpointFor(found('/resources/apply'), 'GET')).toBeUndefined();
    expect(allowed(found('/resources/apply'))).toBe('POST');
  });

  it('lists the allowed methods, HEAD with GET', () => {
    expect(allowed(found('/resources/x'))).toBe('GET, HEAD, DELETE');
  });

  it.each(['get', 'OPTIONS', 'TRACE', 'constructor', '__proto__'])('rejects %s', (method) => {
    expect(endpointFor(found('/health'), method)).toBeUndefined();
  });

  it('rejects a table with a duplicate operation', () => {
    expect(() => routeTable([at('GET', '/a'), at('GET', '/a')])).toThrow(
      'GET /a is registered twice',
    );
  });
});

describe('parameters', () => {
  const values: readonly (readonly [string, string])[] = [
    ['plain', 'plain'],
    ['a%2Fb%2Fc', 'a/b/c'],
    ['a%2fb%2fc', 'a/b/c'],
    ['resource%3Aa_b_c', 'resource:a_b_c'],
    ['a%252Fb', 'a%2Fb'],
    ['a+b', 'a+b'],
    ['%2e%2e', '..'],
    ['..', '..'],
    ['%00', '\u0000'],
    ['%E6%97%A5', '日'],
    ['{resource_id}', '{resource_id}'],
  ];

  it.each(values)('%s is decoded once, to %j', (text, value) => {
    const path = `/resources/${text}`;
    expect(pathParameters(found(path), path)).toEqual({ resource_id: value });
  });

  it('are split at slashes before they are decoded', () => {
    const path = '/resources/a%2Fb/c/d%2Fe/';
    const expected = { provider: 'a/b', resource: 'c', name: 'd/e' };
    expect(pathParameters(found(path), path)).toEqual(expected);
  });

  it.each(['%', '%f', '%zz', '%ff', '%C0%AF', '%ED%A0%80'])('rejects %s', (text) => {
    const path = `/resources/${text}`;
    expect(() => pathParameters(found(path), path)).toThrow(InvalidRequest);
  });
});
