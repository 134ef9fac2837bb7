// Removes the secrets of a config and its outputs, where a masked value would be taken for a declared one. Pure.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointer,
} from '../../lib/json.ts';
import { type Contents, withoutMarked } from './resource-secrets.ts';
import type { TypeSchemas } from './type-schemas.ts';

/** @param schemas of the type; undefined when it is unknown, and then nothing is left */
export function withoutSecretMembers(
  contents: Contents,
  schemas: TypeSchemas | undefined,
): Contents {
  const { config, outputs, masked } = withoutMarked(contents, schemas);
  const places = new Set(masked);
  return {
    config: left(config, '/config', places) as JsonObject,
    outputs: left(outputs, '/outputs', places) as JsonObject,
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
