// Parses a query string into the parameters of a schema. It supports no nesting, never truncates silently, and rejects
// unknown names: a misspelt filter would otherwise return everything.
import { z } from 'zod';
import { InvalidRequest, type Violation } from '../../domain/errors.ts';
import { unknownName } from './known-names.ts';
import { maxViolations } from './parse.ts';

/**
 * Reads the parameters of `schema`: lists where it wants lists, numbers and booleans where the text is one.
 * @param search the text after `?`
 * @throws InvalidRequest for names that the schema does not have, a single-valued parameter given twice, or bad
 *   percent-encoding
 */
export function readQuery(search: string, schema: z.ZodObject): Record<string, unknown> {
  const values = new Map<string, string[]>();
  const unknown: Violation[] = [];
  for (const [name, value] of queryPairs(search, schema)) {
    const given = values.get(name);
    if (!Object.hasOwn(schema.shape, name)) {
      unknown.push(unknownName(['query', name], Object.keys(schema.shape), value));
      if (unknown.length === maxViolations) break;
    } else if (given === undefined) values.set(name, [value]);
    else given.push(value);
  }
  if (unknown.length > 0) throw new InvalidRequest(unknown);
  const read: Record<string, unknown> = {};
  for (const [name, given] of values) read[name] = shapedValue(name, given, schema);
  return read;
}

function* queryPairs(search: string, schema: z.ZodObject): Iterable<readonly [string, string]> {
  for (const part of search.split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decodeQuery(at < 0 ? part : part.slice(0, at), ['query']);
    refuseBrackets(name, schema);
    yield [name, decodeQuery(at < 0 ? '' : part.slice(at + 1), ['query', name])];
  }
}

// `tags[]=a` and `tags[0]=a` are lists in other APIs. Ignored, they would return more than was requested.
function refuseBrackets(name: string, { shape }: z.ZodObject): void {
  const bracket = name.indexOf('[');
  if (bracket < 0 || !Object.hasOwn(shape, name.slice(0, bracket))) return;
  throw invalidQuery(['query', name], {
    msg: `Repeat the parameter instead: ${name.slice(0, bracket)}=a&${name.slice(0, bracket)}=b`,
    type: 'extra_forbidden',
  });
}

function shapedValue(name: string, given: readonly string[], { shape }: z.ZodObject): unknown {
  const schema = unwrapped(shape[name]);
  if (schema instanceof z.ZodArray) return given;
  const [value = '', ...others] = given;
  if (others.length > 0) {
    throw invalidQuery(['query', name], {
      msg: 'Input should be given once',
      type: 'value_error',
      input: given.slice(0, 10),
    });
  }
  if (schema instanceof z.ZodNumber && /^-?[0-9]{1,15}$/.test(value)) return Number(value);
  if (schema instanceof z.ZodBoolean && /^(?:true|false)$/.test(value)) return value === 'true';
  return value;
}

function unwrapped(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) inner = inner.unwrap();
  return inner;
}

function decodeQuery(text: string, loc: readonly string[]): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidQuery(loc, { msg: 'Input should be percent-encoded UTF-8', type: 'value_error' });
  }
}

function invalidQuery(loc: readonly string[], rule: Omit<Violation, 'loc'>): InvalidRequest {
  return new InvalidRequest([{ loc, ...rule }]);
}
