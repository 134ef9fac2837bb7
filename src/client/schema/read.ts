// Reads a JSON Schema that a tenant wrote: references, `allOf` and `null`. Pure, and bounded, as a schema may be an attack.

import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../../lib/json.ts';
import { listIn, referred } from '../../tenant-schema/keywords.ts';

/** The targets of references on the way from the root. */
export type Trail = readonly JsonObject[];

export interface Resolved {
  readonly schema: JsonObject;
  readonly trail: Trail;
}

/** A deeper one is shown as JSON: its fields would make a page that nobody can use. */
export const deepest = 8;

/** How often a schema may contain itself. */
const maxVisits = 2;
const maxTrail = 32;
const maxParts = 20;

/** @returns the schema with its references and `allOf` inserted; undefined when it is `false`, endless or cannot be found */
export function resolved(root: JsonObject, schema: unknown, trail: Trail): Resolved | undefined {
  const found = withoutRef(root, schema, trail);
  const parts = listIn(ownMember(found?.schema, 'allOf'));
  if (found === undefined || parts.length === 0) return found;
  if (parts.length > maxParts) return undefined;
  const all: Resolved[] = [found];
  for (const part of parts) {
    const each = withoutRef(root, part, all.at(-1)?.trail ?? trail);
    if (each === undefined || ownMember(each.schema, 'allOf') !== undefined) return undefined;
    all.push(each);
  }
  return {
    schema: mergedSchema(all.map((each) => each.schema)),
    trail: all.at(-1)?.trail ?? trail,
  };
}

function withoutRef(root: JsonObject, schema: unknown, trail: Trail): Resolved | undefined {
  if (schema === true) return { schema: {}, trail };
  if (!isJsonObject(schema)) return undefined;
  let current = schema;
  let visited = trail;
  while (typeof ownMember(current, '$ref') === 'string') {
    const target = referred(root, ownMember(current, '$ref'));
    if (!isJsonObject(target) || visited.length >= maxTrail) return undefined;
    if (visited.filter((each) => each === target).length >= maxVisits) return undefined;
    visited = [...visited, target];
    const { $ref: _, ...siblings } = current;
    current = { ...target, ...siblings };
  }
  return { schema: current, trail: visited };
}

function mergedSchema(schemas: readonly JsonObject[]): JsonObject {
  const [first = {}] = schemas;
  const properties = schemas.flatMap((each) =>
    Object.entries(objectIn(ownMember(each, 'properties'))),
  );
  const required = schemas.flatMap((each) => listIn(ownMember(each, 'required')));
  const others = schemas.flatMap((each) => Object.entries(each));
  const all = Object.fromEntries([...others, ...Object.entries(first)]);
  const { allOf: _, ...rest } = all;
  if (properties.length === 0) return rest;
  return { ...rest, properties: Object.fromEntries(properties), required };
}

export function objectIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function numberIn(schema: JsonObject, name: string): number | undefined {
  const value = ownMember(schema, name);
  return typeof value === 'number' ? value : undefined;
}

export function textIn(schema: JsonObject, name: string): string {
  const value = ownMember(schema, name);
  return typeof value === 'string' ? value : '';
}

/** @returns the types that a schema permits besides null; what has none is guessed by its keywords */
export function kindsOf(schema: JsonObject): readonly string[] {
  const type = ownMember(schema, 'type');
  const named = (typeof type === 'string' ? [type] : listIn(type)).filter(
    (each): each is string => typeof each === 'string' && each !== 'null',
  );
  if (type !== undefined) return named;
  const hint = [...guesses].find(([keyword]) => ownMember(schema, keyword) !== undefined);
  return hint === undefined ? [] : [hint[1]];
}

const guesses = [
  ['properties', 'object'],
  ['additionalProperties', 'object'],
  ['items', 'array'],
] as const;

/** @returns the values that a schema lists, by `enum` or `const`; undefined when it lists none */
export function enumValues(schema: JsonObject): readonly JsonValue[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const'] ?? null];
  const list = ownMember(schema, 'enum');
  return list === undefined ? undefined : listIn(list);
}

/** @returns the alternatives of a schema, and whether null is one of them */
export function alternativesIn(schema: JsonObject): {
  readonly alternatives: readonly JsonValue[];
  readonly isNullable: boolean;
} {
  const all = [...listIn(ownMember(schema, 'anyOf')), ...listIn(ownMember(schema, 'oneOf'))];
  const alternatives = all.filter((each) => !isNull(each));
  const type = ownMember(schema, 'type');
  const isNullable =
    alternatives.length < all.length ||
    listIn(type).includes('null') ||
    enumValues(schema)?.includes(null) === true;
  return { alternatives, isNullable };
}

function isNull(schema: JsonValue): boolean {
  return (
    isJsonObject(schema) &&
    (ownMember(schema, 'type') === 'null' || ownMember(schema, 'const') === null)
  );
}
