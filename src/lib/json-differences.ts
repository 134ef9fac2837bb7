// Compares two JSON values, place by place.
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
} from './json.ts';

export interface ValueDifference {
  readonly path: readonly string[];
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** Lists are compared as a whole. @returns the places that differ */
export function* differencesWithin(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: readonly string[] = [],
): Iterable<ValueDifference> {
  const isNested =
    isObjectOrNothing(before) && isObjectOrNothing(after) && hasAnyMember(before, after);
  if (isNested || path.length === 0) {
    const [left, right] = [before as JsonObject | undefined, after as JsonObject | undefined];
    const names = new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})]);
    for (const name of names)
      yield* differencesWithin(ownMember(left, name), ownMember(right, name), [...path, name]);
  } else if (before === undefined) yield { path, ...(after === undefined ? {} : { after }) };
  else if (after === undefined) yield { path, before };
  else if (canonicalJson(before) !== canonicalJson(after)) yield { path, before, after };
}

function isObjectOrNothing(value: JsonValue | undefined): boolean {
  return value === undefined || (isJsonObject(value) && !isJsonArray(value));
}

function hasAnyMember(...values: readonly (JsonValue | undefined)[]): boolean {
  return values.some((value) => Object.keys(value ?? {}).length > 0);
}
