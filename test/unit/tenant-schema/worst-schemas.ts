// Schemas and values that took seconds or minutes of one thread while each part of a value was compared with each part of a schema.
// Each is within the bounds of schemas and configs.
import type { JsonObject } from '../../../src/lib/json.ts';

const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index.toString(36)}`);

const objectOf = <Value>(keys: readonly string[], value: (index: number) => Value) =>
  Object.fromEntries(keys.map((key, index) => [key, value(index)]));

/** A schema that refers to itself and requires 2,900 names: 20 kB. */
export function requiredEverywhere(): JsonObject {
  const allOf = Array.from({ length: 10 }, (_, list) => ({ required: names(290, `${list}-`) }));
  const all = { allOf, additionalProperties: { $ref: '#' } };
  return { $ref: '#/$defs/all', $defs: { all } };
}

/** 5,500 objects in objects, with some of those names: 54 kB. */
export function objectsInObjects(): JsonObject {
  const empty = objectOf(names(290, '0-'), () => ({}));
  return { ...empty, ...objectOf(names(18, '0-'), () => empty) };
}

/** Six maps of 290 patterns each, of which one is secret: 19 kB. */
export function manyPatterns(): JsonObject {
  const allOf = Array.from({ length: 6 }, (_, map) => ({
    patternProperties: objectOf(
      names(290, `${map}x`).map((name) => `${name}-`),
      (index) => (map + index === 0 ? { writeOnly: true } : {}),
    ),
  }));
  return { allOf };
}

/** An object with that many members. */
export function manyMembers(count: number): JsonObject {
  return objectOf(names(count, 'member'), () => 1);
}
