// Removes the secrets of a config, its outputs and what identifies its object, where a masked value would be taken for a
// declared one. Pure.

import { createBudget } from '../../lib/budget.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointer,
} from '../../lib/json.ts';
import { type Unstored, withoutMarked } from './resource-secrets.ts';
import type { TypeSchemas } from './type-schemas.ts';

/**
 * @param schemas of the type; undefined when it is unknown, and then nothing is left
 * @param budget of everything that a request shows; when it is spent, nothing more is left
 */
export function withoutSecretMembers(
  contents: Unstored,
  schemas: TypeSchemas | undefined,
  budget = createBudget(),
): Unstored {
  const { config, outputs, adopt, masked } = withoutMarked(contents, schemas, budget);
  if (masked.length === 0) return { config, outputs, adopt };
  const places = new Set(masked);
  return {
    config: left(config, '/config', places) as JsonObject,
    outputs: left(outputs, '/outputs', places) as JsonObject,
    adopt: adopt && (left(adopt, '/adopt', places) as JsonObject),
  };
}

function left(value: JsonValue, path: string, places: ReadonlySet<string>): JsonValue {
  if (isJsonArray(value)) {
    return value.flatMap((item, index) => {
      const at = pointer(path, `${index}`);
      return places.has(at) ? [] : [left(item, at, places)];
    });
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const at = pointer(path, name);
      return places.has(at) ? [] : [[name, left(member, at, places)] as const];
    }),
  );
}
