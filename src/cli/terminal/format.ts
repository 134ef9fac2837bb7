// Defines the output formats: the values of `-o`.
import { usageError } from './errors/cli-error.ts';

export const formats = ['table', 'wide', 'json', 'ndjson', 'yaml', 'manifest', 'name'] as const;

export type Format =
  | { readonly kind: (typeof formats)[number] }
  | { readonly kind: 'value'; readonly path: readonly string[] };

/** @throws CliError when the text is no format */
export function formatOf(text: string): Format {
  const kind = formats.find((each) => each === text);
  if (kind !== undefined) return { kind };
  const path = /^value=(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: 'value', path: memberPath(path) };
  throw usageError(
    `The output format must be one of ${formats.join(', ')} or value=PATH, is "${text}".`,
    'fairlead help output',
  );
}

/**
 * @returns the keys of a path such as `outputs.url`, `dependencies[0].name` or `outputs["tls.crt"]`, of which a shell may have
 *   removed the quotes
 */
export function memberPath(text: string): string[] {
  const keys = text.matchAll(/\["([^"]*)"\]|\[([^\]]*)\]|([^.[\]]+)/g);
  return Array.from(keys, ([, quoted, bare, name = '']) => quoted ?? bare ?? name);
}

/** @returns the value at a path, undefined when there is none */
export function valueAt(record: unknown, path: readonly string[]): unknown {
  let value = record;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
