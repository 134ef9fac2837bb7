// Finds schemas of zod 3 inside of a schema of zod 4, which zod itself tells by an error about its own members. Pure.
import type { z } from 'zod';

/** @returns the path of the first schema that is none of zod 4; undefined when there is none */
export function zod3Place(schema: z.ZodType): readonly string[] | undefined {
  return placeIn(schema, new Set());
}

function placeIn(value: unknown, seen: Set<unknown>): readonly string[] | undefined {
  if (!isObject(value) || seen.has(value)) return undefined;
  seen.add(value);
  if (!('_zod' in value)) return '_def' in value ? [] : undefined;
  for (const [name, part] of partsOf((value as unknown as z.ZodType)._zod.def)) {
    const found = placeIn(part, seen);
    if (found !== undefined) return name === undefined ? found : [name, ...found];
  }
  return undefined;
}

/** Members that wrap a schema have no name of their own in a value. */
function* partsOf(def: object): Generator<readonly [name: string | undefined, part: unknown]> {
  for (const [member, part] of Object.entries(def)) {
    if (member === 'shape') yield* Object.entries(part);
    else if (member === 'getter') yield [undefined, part()];
    else if (Array.isArray(part))
      for (const [index, each] of part.entries()) yield [`${index}`, each];
    else yield [undefined, part];
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
