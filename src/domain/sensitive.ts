// Secrets in configs, as the schema of a type marks them: `writeOnly`, `sensitive`, or the format `password`. A config comes in;
// out comes one that may be shown, or the secrets in it, or a text without them.
import {
  type Applying,
  drawnIn,
  isList,
  isObject,
  ofItem,
  ofMember,
  own,
} from './applying-schemas.ts';
import type { JsonObject, JsonValue } from './json.ts';

export const maskedValue = '[masked]';

/** A schema that draws in more than this is a trick; what was not looked at by then counts as secret. */
const mostSteps = 1_000_000;
const leastSecret = 4;

/**
 * @param schema of the type; when it is undefined nobody knows what is secret, and only the names at the top are kept
 * @returns the value with `[masked]` in place of everything that is marked as secret
 */
export function mask(schema: JsonObject | undefined, value: JsonValue): JsonValue {
  return walk(schema, value, () => maskedValue);
}

/** @returns every text in the parts that `mask` replaces */
export function secretsIn(schema: JsonObject | undefined, value: JsonValue): readonly string[] {
  const found = new Set<string>();
  walk(schema, value, (secret) => {
    for (const text of textsIn(secret)) found.add(text);
    return secret;
  });
  return [...found];
}

type Replace = (secret: JsonValue) => JsonValue;

function walk(schema: JsonObject | undefined, value: JsonValue, replace: Replace): JsonValue {
  if (schema !== undefined) return createWalk(schema, replace)(drawnIn(schema, [schema]), value);
  return isObject(value) ? mapped(value, replace) : replace(value);
}

function createWalk(root: JsonObject, replace: Replace) {
  let steps = 0;
  const within = (applying: Applying, value: JsonValue): JsonValue => {
    steps += 1 + applying.size;
    if (steps > mostSteps || [...applying].some(isSecret)) return replace(value);
    const next = (said: () => readonly unknown[], part: JsonValue) => {
      if (steps > mostSteps) return replace(part);
      const schemas = said();
      steps += schemas.length;
      return within(drawnIn(root, schemas), part);
    };
    if (isList(value)) {
      return value.map((item, index) => next(() => ofItem(applying, index), item));
    }
    if (!isObject(value)) return value;
    return mapped(value, (member, name) => next(() => ofMember(applying, name), member));
  };
  return within;
}

function isSecret(schema: JsonObject): boolean {
  return (
    own(schema, 'writeOnly') === true ||
    own(schema, 'sensitive') === true ||
    own(schema, 'format') === 'password'
  );
}

// Entries and not assignments: `__proto__` is a legal name in JSON.
function mapped(
  object: JsonObject,
  change: (value: JsonValue, name: string) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(value, name)] as const),
  );
}

function* textsIn(value: JsonValue): Iterable<string> {
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') yield next;
    else if (typeof next === 'object' && next !== null) waiting.push(...Object.values(next));
  }
}

/** @returns the text with `[masked]` in place of each secret of four characters or more, in whatever way it is escaped */
export function maskText(text: string, secrets: readonly string[]): string {
  const forms = new Set(
    secrets.filter((secret) => secret.length >= leastSecret).flatMap((each) => spellings(each)),
  );
  const found = [...forms].flatMap((form) => placesOf(form, text));
  let result = '';
  let end = 0;
  for (const [from, to] of found.sort(([left], [right]) => left - right)) {
    // What overlaps is one secret to a reader: parts of it must not stay.
    if (from >= end) result += text.slice(end, from) + maskedValue;
    end = Math.max(end, to);
  }
  return result + text.slice(end);
}

function spellings(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
  const plus = encoded.replaceAll('%20', '+');
  return [secret, JSON.stringify(secret).slice(1, -1), encoded, lower, plus];
}

type Place = readonly [from: number, to: number];

function placesOf(form: string, text: string): readonly Place[] {
  const places: Place[] = [];
  for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
    places.push([at, at + form.length]);
  }
  const start = cutOff(form, text);
  return start === undefined ? places : [...places, [start, text.length - 1]];
}

/** A text that was cut short may end within a secret. @returns where that secret begins */
function cutOff(form: string, text: string): number | undefined {
  if (!text.endsWith('…')) return undefined;
  const end = text.length - 1;
  for (let length = Math.min(form.length - 1, end); length >= leastSecret; length -= 1) {
    if (text.endsWith(form.slice(0, length), end)) return end - length;
  }
  return undefined;
}
