// Maps a request path to its endpoints. A literal segment takes precedence over a parameter, whatever the method: `GET
// /resources/apply` is a wrong method, not an odd resource id. Parameters are percent-decoded exactly once.
import { InvalidRequest } from '../domain/errors.ts';
import type { Endpoint } from './endpoint.ts';

export interface Route {
  /** `/resources/{resource_id}` */
  readonly pattern: string;
  readonly segments: readonly string[];
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

type FindRoute = (path: string) => Route | undefined;

/** @returns a function from a raw path, with or without a trailing slash, to the most specific route */
export function routeTable(endpoints: readonly Endpoint[]): FindRoute {
  const byPattern = new Map<string, Map<string, Endpoint>>();
  for (const each of endpoints) {
    const methods = byPattern.get(each.path) ?? new Map<string, Endpoint>();
    if (methods.has(each.method)) {
      throw new TypeError(`${each.method} ${each.path} is registered twice`);
    }
    byPattern.set(each.path, methods.set(each.method, each));
  }
  const routes = [...byPattern]
    .map(([pattern, methods]) => ({ pattern, segments: splitPath(pattern), endpoints: methods }))
    .sort((left, right) => (specificity(left) < specificity(right) ? -1 : 1));
  return (path) => {
    const segments = splitPath(path);
    return routes.find((route) => matchesRoute(route, segments));
  };
}

/** @returns the endpoint for a method; HEAD is GET without its content */
export function endpointFor({ endpoints }: Route, method: string): Endpoint | undefined {
  return endpoints.get(method === 'HEAD' ? 'GET' : method);
}

/** @returns the value of an `Allow` header */
export function allowed({ endpoints }: Route): string {
  return [...endpoints.keys()]
    .flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : each))
    .join(', ');
}

/** @throws InvalidRequest when a segment is not percent-encoded UTF-8 */
export function pathParameters(route: Route, path: string): Record<string, string> {
  return Object.fromEntries(
    pathSegments(route, path).map(([name, text]) => [name, decodeParameter(name, text)]),
  );
}

/** @returns the names of the parameters with their undecoded segments */
export function pathSegments({ segments }: Route, path: string): readonly [string, string][] {
  const given = splitPath(path);
  return segments.flatMap((segment, index): [string, string][] => {
    const name = parameterName(segment);
    return name === undefined ? [] : [[name, given[index] ?? '']];
  });
}

function splitPath(path: string): readonly string[] {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  return trimmed.split('/').slice(1);
}

function parameterName(segment: string): string | undefined {
  return segment.startsWith('{') ? segment.slice(1, -1) : undefined;
}

function specificity({ segments }: Route): string {
  return segments.map((each) => (parameterName(each) === undefined ? '0' : '1')).join('');
}

function matchesRoute({ segments }: Route, given: readonly string[]): boolean {
  if (segments.length !== given.length) return false;
  return segments.every((segment, index) =>
    parameterName(segment) === undefined ? segment === given[index] : given[index] !== '',
  );
}

function decodeParameter(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    const msg = 'Input should be percent-encoded UTF-8';
    throw new InvalidRequest([{ loc: ['path', name], msg, type: 'value_error', input: text }]);
  }
}
