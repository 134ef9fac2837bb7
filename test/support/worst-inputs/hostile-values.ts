// Values of tenants within the bounds of values, filled with what costs most.
import type { JsonObject, JsonValue } from '../../../src/lib/json.ts';

export const valueBytes = 262_144;
const valueDepth = 64;

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** @returns an object with as many members as fit, whose names are numbers of base 36 */
export function members(
  make: (name: string) => JsonValue,
  { bytes = valueBytes, prefix = '' } = {},
): JsonObject {
  const entry = (index: number) => {
    const name = `${prefix}${index.toString(36)}`;
    return [name, make(name)] as const;
  };
  return Object.fromEntries(fitting(entry, bytes));
}

/** @returns a list with as many items as fit */
export function items<T extends JsonValue>(make: (index: number) => T): readonly T[] {
  return fitting(make, valueBytes);
}

function fitting<T>(make: (index: number) => T, bytes: number): readonly T[] {
  const found: T[] = [];
  for (let left = bytes; ; ) {
    const next = make(found.length);
    left -= JSON.stringify(next).length + 1;
    if (left < 0) return found;
    found.push(next);
  }
}

/** @returns objects in objects, all with the same names, as many as fit */
export function tree(names: readonly string[], bytes = valueBytes): JsonObject {
  let left = bytes;
  const root: Record<string, JsonValue> = {};
  let level = [root];
  for (let depth = 1; depth < valueDepth; depth += 1) {
    const next: Record<string, JsonValue>[] = [];
    for (const object of level) {
      for (const name of names) {
        left -= name.length + 6;
        if (left < 0) return root;
        const member = {};
        object[name] = member;
        next.push(member);
      }
    }
    level = next;
  }
  return root;
}

/** @returns objects called `a` in each other, as deep as values may be, with a value in the last one */
export function nested(last: JsonValue): JsonObject {
  let value = last;
  for (let depth = 1; depth < valueDepth; depth += 1) value = { a: value };
  return value as JsonObject;
}
