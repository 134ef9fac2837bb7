// Finds the marks `immutable` of a schema that cannot work: they would be silently without effect.
import { isJsonObject, type JsonObject, pointer } from '../../lib/json.ts';
import { isImmutable } from '../../tenant-schema/keywords.ts';
import { subschemas } from '../../tenant-schema/structure.ts';
import {
  hasMark,
  ImmutableWalk,
  type SchemaPart,
  type SchemaPlace,
  targetOf,
} from './immutable-fields.ts';
import { refusals, refusalsOfAll, refusalsOfWalk } from './immutable-refusals.ts';

interface ImmutableProblem {
  /** The JSON Pointer of the mark in the schema. */
  readonly at: string;
  /** A sentence for the author of the schema, without its full stop. */
  readonly problem: string;
}

/** The role of the values of a schema. Only configs are declared, so only they can be kept from changing. */
export type SchemaOf = 'config' | 'outputs' | 'settings' | 'adopt';

/**
 * @param of what the schema describes: only one of a config can have a mark
 * @returns the first mark that cannot work, with what to do instead; undefined when all of them work, and without any
 * @example
 * ```ts
 * immutableProblem({ properties: { tags: { items: { immutable: true } } } });
 * // { at: '/properties/tags/items/immutable', problem: 'Items of a list cannot be immutable: mark tags itself' }
 * ```
 */
export function immutableProblem(
  schema: JsonObject,
  of: SchemaOf = 'config',
): ImmutableProblem | undefined {
  if (of === 'config') return problemOfConfig(schema);
  const at = firstMark(schema, { schema, at: '' });
  return at === undefined ? undefined : { at, problem: refusalsOfAll[of] };
}

/** @returns the schemas inside a schema but for definitions, which have an effect where `$ref` refers to them */
function schemaParts({ schema, at }: SchemaPlace): readonly SchemaPart[] {
  return subschemas(schema).flatMap(({ schema: part, step, judges }) => {
    const [keyword, name = ''] = step;
    if (!isJsonObject(part) || judges === 'nothing') return [];
    return [{ keyword, name: `${name}`, schema: part, at: step.map(String).reduce(pointer, at) }];
  });
}

const known = new WeakMap<JsonObject, { readonly problem: ImmutableProblem | undefined }>();

function problemOfConfig(root: JsonObject): ImmutableProblem | undefined {
  const before = known.get(root);
  if (before !== undefined) return before.problem;
  let first: ImmutableProblem | undefined;
  const walk = new ImmutableWalk(root, schemaParts, (place, reason, path) => {
    const refusal = refusals[reason] ?? refusalsOfWalk[reason];
    if (refusal === undefined) return;
    first ??= { at: firstMark(root, place) ?? place.at, problem: refusal(reason, path) };
  });
  const problem = oddMark(root, walk.marking) ?? first;
  known.set(root, { problem });
  return problem;
}

/** @returns the problem of a mark that is neither true nor false */
function oddMark(root: JsonObject, marking: ReadonlySet<JsonObject>): ImmutableProblem | undefined {
  const odd = [...marking].find((schema) => hasMark(schema) && !isImmutable(schema));
  if (odd === undefined) return undefined;
  const at = firstMark(root, { schema: root, at: '' }, (schema) => schema === odd) ?? '';
  return { at, problem: "'immutable' must be true or false" };
}

/** @returns the JSON Pointer of the first mark in or below a schema */
function firstMark(
  root: JsonObject,
  start: SchemaPlace,
  isWanted: (schema: JsonObject) => boolean = hasMark,
): string | undefined {
  const seen = new Set<JsonObject>();
  const waiting = [start];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { schema, at } = next;
    if (seen.has(schema)) continue;
    seen.add(schema);
    if (isWanted(schema)) return pointer(at, 'immutable');
    waiting.push(...[...schemaParts(next), ...targetOf(root, schema)].reverse());
  }
  return undefined;
}
