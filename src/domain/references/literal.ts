// Writes a value as a config has it that contains it as it is: what looks like a reference in it is text. Pure.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  mapMembers,
} from '../../lib/json.ts';
import { beginsLikeReference } from './grammar.ts';

/** @example literal('${a/b/c.outputs.d}') // $${a/b/c.outputs.d} */
export function literal(value: JsonValue): JsonValue {
  if (typeof value === 'string') return escapedReferences(value);
  if (isJsonArray(value)) return value.map(literal);
  return isJsonObject(value) ? literalMembers(value) : value;
}

export function literalMembers(value: JsonObject): JsonObject {
  return mapMembers(value, literal);
}

function escapedReferences(text: string): string {
  return text.replace(/\$\{([^${}]*)\}/g, (part, body: string) =>
    beginsLikeReference(body) ? `$${part}` : part,
  );
}
