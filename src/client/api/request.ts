// Writes a request to an operation: its method, path and query, headers and body. Pure: for browsers and terminals.
import {
  type Method,
  type OperationId,
  operations,
  type PathParameter,
} from '../../api/operations.ts';
import type { BodyOf, QueryOf } from '../../api/shapes.ts';

type WithPath<Id extends OperationId> = [PathParameter<Id>] extends [never]
  ? { readonly path?: never }
  : { readonly path: Readonly<Record<PathParameter<Id>, string>> };

type WithBody<Id extends OperationId> = [BodyOf<Id>] extends [never]
  ? { readonly body?: never }
  : { readonly body: BodyOf<Id> };

/** Path parameters, query and body of a request to an operation. */
export type InputOf<Id extends OperationId> = WithPath<Id> &
  WithBody<Id> & { readonly query?: QueryOf<Id> };

export interface WrittenRequest {
  readonly method: Method;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Writes a request to an operation.
 * @param headers besides those of its content; they win
 * @example requestTo('deleteResource', { path: { resource_id: id }, query: { dry_run: true } })
 */
export function requestTo<Id extends OperationId>(
  id: Id,
  input: InputOf<Id>,
  headers: Readonly<Record<string, string>> = {},
): WrittenRequest {
  const { path, query, body }: AnyInput = input;
  const [method, pattern] = operations[id];
  const target = { method, path: `${withParameters(pattern, path)}${queryText(query)}` };
  const accept = { accept: 'application/json' };
  if (body === undefined) return { ...target, headers: { ...accept, ...headers } };
  const type = { 'content-type': 'application/json' };
  return { ...target, headers: { ...accept, ...type, ...headers }, body: JSON.stringify(body) };
}

/** An input of any operation, for the code that is the same for all. */
interface AnyInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** @returns the path of an operation with its parameters percent-encoded */
export function operationPath(
  id: OperationId,
  parameters?: Readonly<Record<string, string>>,
): string {
  return withParameters(operations[id][1], parameters);
}

function withParameters(pattern: string, parameters: Readonly<Record<string, string>> = {}) {
  return pattern.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  );
}

/** @returns a query string with its question mark; lists repeat their name, and undefined is left out */
export function queryText(query: Readonly<Record<string, unknown>> = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) parameters.append(name, `${each}`);
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
