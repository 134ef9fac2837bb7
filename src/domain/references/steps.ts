// The way from a config to a value in it: read, and replaced in a copy. Pure, iterative and linear.
import { isJsonArray, type JsonObject, type JsonValue, type ValueStep } from '../../lib/json.ts';

export const indexPattern = /^(?:0|[1-9][0-9]{0,8})$/;

/** Reads own members only: inherited members are not outputs. */
export function memberOf(value: JsonValue, key: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (isJsonArray(value)) return indexPattern.test(key) ? value[Number(key)] : undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

type JsonContainer = JsonObject | readonly JsonValue[];

/** Edits a copy; unchanged parts stay shared with the original. A value with many places is copied once. */
export function editing(config: JsonObject) {
  const copies = new Map<ValueStep | undefined, JsonContainer>();

  function copyAt(step: ValueStep | undefined): JsonContainer {
    const missing: ValueStep[] = [];
    let known = step;
    for (; known !== undefined && !copies.has(known); known = known.parent) missing.push(known);
    let copy = copies.get(known) ?? copyOf(config, undefined);
    for (const next of missing.reverse()) {
      const parent = copy;
      copy = copyOf(memberOf(parent, `${next.key}`), next);
      define(parent, next.key, copy);
    }
    return copy;
  }

  function copyOf(value: JsonValue | undefined, step: ValueStep | undefined): JsonContainer {
    if (value === null || typeof value !== 'object') throw new TypeError('Not a container');
    const copy = isJsonArray(value) ? [...value] : { ...value };
    copies.set(step, copy);
    return copy;
  }

  return {
    result: () => (copies.get(undefined) ?? config) as JsonObject,
    set(step: ValueStep, value: JsonValue): void {
      define(copyAt(step.parent), step.key, value);
    },
  };
}

/** An assignment to `__proto__` would set the prototype. */
function define(container: JsonContainer, key: string | number, value: JsonValue): void {
  const descriptor = { value, enumerable: true, writable: true, configurable: true };
  Object.defineProperty(container, key, descriptor);
}
