// The order in which a schema lists its fields. The API server sorts the members of each object, so the order is stored beside the
// schema, and given back to people who read it. Pure.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointer,
} from '../../lib/json.ts';

/** Names of fields by the JSON Pointer of what lists them, where they are not sorted. Anybody may have written it with kubectl. */
export type FieldOrder = Readonly<Record<string, unknown>>;

/** @returns undefined when the fields are sorted everywhere */
export function fieldOrder(schema: JsonObject | undefined): FieldOrder | undefined {
  const found: Record<string, readonly string[]> = {};
  const walk = (value: JsonValue, path: string) => {
    if (typeof value !== 'object' || value === null) return;
    const names = Object.keys(value);
    // A field may be called so, too: then the order of its keywords is recorded, which does no harm.
    if (path.endsWith('/properties') && !isSorted(names)) found[path] = names;
    for (const [name, member] of Object.entries(value)) walk(member, pointer(path, name));
  };
  walk(schema ?? null, '');
  return Object.keys(found).length === 0 ? undefined : found;
}

/** @returns the schema with its fields in that order; fields that the order lacks follow */
export function inFieldOrder(schema: JsonObject, order: FieldOrder | undefined): JsonObject {
  if (order === undefined) return schema;
  const ordered = (value: JsonValue, path: string): JsonValue => {
    if (isJsonArray(value)) return value.map((each, at) => ordered(each, `${path}/${at}`));
    if (!isJsonObject(value)) return value;
    const listed = order[path];
    const first = Array.isArray(listed) ? listed.map(String) : [];
    const names = [...new Set([...first, ...Object.keys(value)])];
    return Object.fromEntries(
      names
        .filter((name) => Object.hasOwn(value, name))
        .map((name) => [name, ordered(value[name] ?? null, pointer(path, name))]),
    );
  };
  return ordered(schema, '') as JsonObject;
}

function isSorted(names: readonly string[]): boolean {
  return names.every((name, at) => at === 0 || (names[at - 1] ?? '') < name);
}
