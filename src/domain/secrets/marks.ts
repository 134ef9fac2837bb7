// Finds the secrets in a value. A schema marks them with `writeOnly`, `sensitive` or the format `password`; what an earlier schema
// marked is recorded as places.

import { createBudget, maxPathCharacters } from '../../lib/budget.ts';
import {
  type ended,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  mapItems,
  mapMembers,
  pointer,
} from '../../lib/json.ts';
import { isSecret } from '../../tenant-schema/keywords.ts';
import { compile, type Place } from '../../tenant-schema/place.ts';
import { maskedValue } from './mask-text.ts';

/** The schemas and places that decide which parts of a value are secret. */
export interface Marks {
  /** Secret is what one of them marks. Undefined when those of the type are unknown, and then every member is secret. */
  readonly schemas: readonly JsonObject[] | undefined;
  /** JSON Pointers of values that were secret when the value was applied; the empty one stands for all. */
  readonly places: readonly string[];
  /**
   * False when nobody recorded which places were secret. A value that no schema describes is secret then, if one of them marks
   * anything: an earlier one may have described and marked it.
   */
  readonly isRecorded: boolean;
}

/** @returns the marks of a value to which no other schemas than these ever applied */
export function marksOf(schemas: JsonObject | readonly JsonObject[] | undefined): Marks {
  return { schemas: schemas && [schemas].flat(), places: [], isRecorded: true };
}

/** @returns false when no value can have a secret */
export function mayHide({ schemas, places }: Marks): boolean {
  return schemas === undefined || places.length > 0 || schemas.some(marksSecrets);
}

/** @returns the value with `[masked]` in place of everything secret */
export function mask(marks: Marks, value: JsonValue, budget = createBudget()): JsonValue {
  return walk(marks, value, () => maskedValue, budget);
}

/** @returns every text and number in the parts that `mask` replaces, as texts to search for */
export function secretsIn(
  marks: Marks,
  value: JsonValue,
  budget = createBudget(),
): readonly string[] {
  const found = new Set<string>();
  const add = (secret: JsonValue) => {
    for (const text of textsIn(secret)) found.add(text);
    return secret;
  };
  walk(marks, value, add, budget);
  return [...found];
}

/**
 * @param budget when it is spent, everything that is not visited yet counts as secret; so does what has too long a path
 * @returns the value with a replacement for everything secret; `ended` when `replace` ends it
 */
export function walk<Replaced extends JsonValue | typeof ended>(
  marks: Marks,
  value: JsonValue,
  replace: (secret: JsonValue, path: string) => Replaced,
  budget = createBudget(),
): JsonValue | Extract<Replaced, typeof ended> {
  type WalkResult = JsonValue | Extract<Replaced, typeof ended>;
  if (!mayHide(marks)) return value;
  const { schemas, places, isRecorded } = marks;
  if (schemas === undefined || places.includes('')) {
    if (!isJsonObject(value)) return replace(value, '') as WalkResult;
    return mapMembers(value, (member, name) => replace(member, pointer('', name)) as WalkResult);
  }
  const recorded = new Set(places);
  const hidesUndescribed = !isRecorded && schemas.some(marksSecrets);
  const within = (part: JsonValue, path: string, place: Place | undefined): WalkResult => {
    const isHidden =
      place === undefined ||
      path.length > maxPathCharacters ||
      place.isSecret ||
      (hidesUndescribed && place.schemas.length === 0) ||
      (recorded.size > 0 && recorded.has(path));
    if (isHidden) return replace(part, path) as WalkResult;
    if (typeof part !== 'object' || part === null) return part;
    if (isJsonArray(part)) {
      return mapItems(part, (item, index) =>
        within(item, pointer(path, `${index}`), place.item(index, budget)),
      );
    }
    return mapMembers(part as JsonObject, (member, name) =>
      within(member, pointer(path, name), place.member(name, budget)),
    );
  };
  // One that marks nothing matters only for what it describes.
  const marking = isRecorded ? schemas.filter(marksSecrets) : schemas;
  return within(value, '', compile(marking, budget));
}

/** @returns the texts in a value, and its numbers of four digits or more as text */
export function* textsIn(value: JsonValue): Iterable<string> {
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') yield next;
    else if (typeof next === 'number') yield* digitsOf(next);
    else if (typeof next === 'object' && next !== null) {
      // One by one: a call has at most some hundred thousand arguments.
      for (const each of Object.values(next)) waiting.push(each);
    }
  }
}

const minDigits = 4;

/** Without the sign: a text may set it apart, or leave it out. */
function digitsOf(number: number): readonly string[] {
  const text = JSON.stringify(Math.abs(number));
  return text.replace(/e.*|\D/g, '').length >= minDigits ? [text] : [];
}

const known = new WeakMap<JsonObject, boolean>();

/** @returns whether anything in a schema marks a secret; computed once for each schema, which is never mutated */
export function marksSecrets(schema: JsonObject): boolean {
  const found = known.get(schema) ?? hasSecretMark(schema);
  known.set(schema, found);
  return found;
}

function hasSecretMark(part: JsonValue): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return (isJsonObject(part) && isSecret(part)) || Object.values(part).some(hasSecretMark);
}
