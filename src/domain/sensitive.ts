// Masks secrets in configs. The schema of a type marks them with `writeOnly`, `sensitive` or the format `password`.
import { type Applying, drawnIn, isSecret, ofItem, ofMember } from './applying-schemas.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts';

export const maskedValue = '[masked]';

/** A schema that needs more steps is an attack; everything not visited by then counts as secret. */
const maxSteps = 100_000;
const minSecretLength = 4;

/**
 * @param schema of the type; when undefined the secrets are unknown, and only top-level names are kept
 * @returns the value with `[masked]` in place of everything marked as secret
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

/** @param path the JSON Pointer of the secret (RFC 6901) */
type Replace = (secret: JsonValue, path: string) => JsonValue;

/** @returns the value with a replacement for everything marked as secret; without a schema, for each member */
export function walk(
  schema: JsonObject | undefined,
  value: JsonValue,
  replace: Replace,
): JsonValue {
  if (schema !== undefined) {
    return createWalk(schema, replace)(drawnIn(schema, [schema]), value, '');
  }
  if (!isJsonObject(value)) return replace(value, '');
  return mapped(value, (member, name) => replace(member, pointer('', name)));
}

export function pointer(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function createWalk(root: JsonObject, replace: Replace) {
  let steps = 0;
  const within = (applying: Applying, value: JsonValue, path: string): JsonValue => {
    steps += 1 + applying.size;
    if (steps > maxSteps || [...applying].some(isSecret)) return replace(value, path);
    const next = (said: () => readonly unknown[], part: JsonValue, name: string) => {
      const at = pointer(path, name);
      if (steps > maxSteps) return replace(part, at);
      const schemas = said();
      steps += schemas.length;
      return within(drawnIn(root, schemas), part, at);
    };
    if (isJsonArray(value)) {
      return value.map((item, index) => next(() => ofItem(applying, index), item, `${index}`));
    }
    if (!isJsonObject(value)) return value;
    return mapped(value, (member, name) => next(() => ofMember(applying, name), member, name));
  };
  return within;
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

export function* textsIn(value: JsonValue): Iterable<string> {
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') yield next;
    else if (typeof next === 'object' && next !== null) waiting.push(...Object.values(next));
  }
}

/** Maximum number of characters compared with secrets; a text that needs more, as in an attack, is masked whole. */
const maxCompared = 5_000_000;

/** @returns the text with `[masked]` in place of each secret of four characters or more, however it is escaped */
export function maskText(text: string, secrets: readonly string[]): string {
  const forms = new Set(
    secrets.filter((secret) => secret.length >= minSecretLength).flatMap((each) => spellings(each)),
  );
  const covered = new Uint8Array(text.length);
  let left = maxCompared;
  for (const form of forms) {
    left -= cover(covered, form, text);
    if (left < 0) return maskedValue;
  }
  return withoutCovered(text, covered);
}

/** Overlapping secrets are masked as one: no part of them may remain. */
function withoutCovered(text: string, covered: Uint8Array): string {
  let result = '';
  let end = 0;
  for (let from = covered.indexOf(1); from >= 0; from = covered.indexOf(1, end)) {
    result += text.slice(end, from) + maskedValue;
    end = covered.indexOf(0, from);
    if (end < 0) return result;
  }
  return result + text.slice(end);
}

function spellings(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
  const plus = encoded.replaceAll('%20', '+');
  return [secret, JSON.stringify(secret).slice(1, -1), encoded, lower, plus];
}

/**
 * Marks every occurrence of a form in a text, and its beginning at the end of a truncated text. Linear for any input:
 * attackers send forms that overlap with themselves at every character (Knuth, Morris and Pratt).
 * @returns the number of compared characters
 */
function cover(covered: Uint8Array, form: string, text: string): number {
  const isCut = text.endsWith('…');
  // Only the beginning of a longer form can be in the text.
  if (!isCut && (form.length > text.length || !text.includes(form))) return text.length / 16;
  const end = isCut ? text.length - 1 : text.length;
  const borders = bordersOf(form, Math.min(form.length, text.length));
  let matched = 0;
  let done = 0;
  for (let at = 0; at < end; at += 1) {
    matched = longer(form, borders, { matched, code: text.charCodeAt(at) });
    if (matched < form.length) continue;
    covered.fill(1, Math.max(done, at + 1 - form.length), at + 1);
    done = at + 1;
  }
  if (isCut && matched >= minSecretLength) covered.fill(1, end - matched, end);
  return text.length + borders.length;
}

/** @returns the length of the form prefix that the text ends with, after reading one more character */
function longer(
  form: string,
  borders: Uint32Array,
  { matched, code }: { matched: number; code: number },
): number {
  let length = matched === form.length ? (borders[matched - 1] ?? 0) : matched;
  while (length > 0 && form.charCodeAt(length) !== code) length = borders[length - 1] ?? 0;
  return form.charCodeAt(length) === code ? length + 1 : length;
}

/** @returns for each prefix of a form the length of its longest border */
function bordersOf(form: string, length: number): Uint32Array {
  const borders = new Uint32Array(length);
  let matched = 0;
  for (let at = 1; at < length; at += 1) {
    matched = longer(form, borders, { matched, code: form.charCodeAt(at) });
    borders[at] = matched;
  }
  return borders;
}
