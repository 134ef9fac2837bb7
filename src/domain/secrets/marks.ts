// Finds the secrets in a value. A schema marks them with `writeOnly`, `sensitive` or the format `password`; what an earlier schema
// marked is recorded as places.

import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointer,
} from '../../lib/json.ts';
import { type Applying, drawnIn, isSecret, ofItem, ofMember } from '../schemas/applying-schemas.ts';
import { maskedValue } from './mask-text.ts';

/** What decides which parts of a value are secret. */
export interface Marks {
  /** Secret is what one of them marks. Undefined when those of the type are unknown, and then every member is secret. */
  readonly schemas: readonly JsonObject[] | undefined;
  /** JSON Pointers of values that were secret when the value was applied; the empty one stands for all. */
  readonly places: readonly string[];
  /**
   * False when nobody recorded which places were secret. What no schema describes is secret then, if one of them marks
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
export function mask(marks: Marks, value: JsonValue): JsonValue {
  return walk(marks, value, () => maskedValue);
}

/** @returns every text and number in the parts that `mask` replaces, as texts to search for */
export function secretsIn(marks: Marks, value: JsonValue): readonly string[] {
  const found = new Set<string>();
  walk(marks, value, (secret) => {
    for (const text of textsIn(secret)) found.add(text);
    return secret;
  });
  return [...found];
}

/** A schema that needs more steps is an attack; everything not visited by then counts as secret. */
const maxSteps = 100_000;

/** @param path the JSON Pointer of the secret (RFC 6901) */
type Replace = (secret: JsonValue, path: string) => JsonValue;

/** @returns the value with a replacement for everything secret */
export function walk(marks: Marks, value: JsonValue, replace: Replace): JsonValue {
  if (!mayHide(marks)) return value;
  const { schemas, places, isRecorded } = marks;
  if (schemas !== undefined && !places.includes('')) {
    // One that marks nothing matters only for what it describes.
    const marking = isRecorded ? schemas.filter(marksSecrets) : schemas;
    return createWalk(marking, marks, replace)(value);
  }
  if (!isJsonObject(value)) return replace(value, '');
  return mapped(value, (member, name) => replace(member, pointer('', name)));
}

/** For each schema of the marks, what of it applies to one value. */
type Layers = readonly Applying[];

function createWalk(roots: readonly JsonObject[], { places, isRecorded }: Marks, replace: Replace) {
  const recorded = new Set(places);
  const hidesUndescribed = !isRecorded && roots.some(marksSecrets);
  let steps = 0;
  const isSecretAt = (layers: Layers, path: string) =>
    recorded.has(path) ||
    (hidesUndescribed && layers.every((applying) => applying.size === 0)) ||
    layers.some((applying) => [...applying].some(isSecret));
  const within = (layers: Layers, value: JsonValue, path: string): JsonValue => {
    steps += layers.reduce((sum, applying) => sum + applying.size, 1);
    if (steps > maxSteps || isSecretAt(layers, path)) return replace(value, path);
    const next = (
      said: (applying: Applying) => readonly unknown[],
      part: JsonValue,
      name: string,
    ) => {
      const at = pointer(path, name);
      if (steps > maxSteps) return replace(part, at);
      const below = roots.map((root, index) => {
        const schemas = said(layers[index] ?? new Set());
        steps += schemas.length;
        return drawnIn(root, schemas);
      });
      return within(below, part, at);
    };
    if (isJsonArray(value)) {
      return value.map((item, index) =>
        next((applying) => ofItem(applying, index), item, `${index}`),
      );
    }
    if (!isJsonObject(value)) return value;
    return mapped(value, (member, name) =>
      next((applying) => ofMember(applying, name), member, name),
    );
  };
  const whole = roots.map((root) => drawnIn(root, [root]));
  return (value: JsonValue) => within(whole, value, '');
}

// Uses entries instead of assignments: `__proto__` is a legal name in JSON.
function mapped(
  object: JsonObject,
  change: (value: JsonValue, name: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(value, name)] as const),
  );
}

/** @returns the texts in a value, and its numbers of four digits or more as text */
export function* textsIn(value: JsonValue): Iterable<string> {
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') yield next;
    else if (typeof next === 'number') yield* digitsOf(next);
    else if (typeof next === 'object' && next !== null) waiting.push(...Object.values(next));
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
  const before = known.get(schema);
  if (before !== undefined) return before;
  const found = hasMark(schema);
  known.set(schema, found);
  return found;
}

function hasMark(schema: JsonObject): boolean {
  const waiting: JsonValue[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (isJsonObject(next) && isSecret(next)) return true;
    for (const each of Object.values(next)) waiting.push(each);
  }
  return false;
}
