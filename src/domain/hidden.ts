// Hides secrets of a record from people who may only view it: null in their place, and the paths of all of them.

import { isSecret } from './applying-schemas.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { maskText, pointer, secretsIn, textsIn, walk } from './sensitive.ts';

export interface Contents {
  readonly config: JsonObject;
  readonly outputs: JsonObject;
}

export interface Hidden extends Contents {
  /** JSON Pointers (RFC 6901) of what was hidden. */
  readonly masked: readonly string[];
}

/** Names of members are repeated in paths, so many paths could be longer than the record. */
const maxPaths = 200;
const maxPathCharacters = 32_768;
/** Texts of outputs times secrets; what needs more, as in an attack, is hidden whole. */
const maxComparisons = 10_000;
const tooMuch = Symbol('hidden whole');

/**
 * The schema describes the config; outputs are hidden where they have the place of a marked field, and where a text
 * contains a secret of the config.
 * @param schema of the type; undefined when it is unknown, and then every value is hidden
 */
export function withoutSecrets(
  { config, outputs }: Contents,
  schema: JsonObject | undefined,
): Hidden {
  if (schema !== undefined && !marksSecrets(schema)) return { config, outputs, masked: [] };
  const ofConfig = hidden('/config', config, (replace) =>
    walk(schema, config, (_secret, path) => replace(path)),
  );
  const secrets = secretsIn(schema, config);
  const texts = secrets.length === 0 ? 0 : [...textsIn(outputs)].length;
  const ofOutputs = hidden('/outputs', outputs, (replace) => {
    if (secrets.length * texts > maxComparisons) return tooMuch;
    const shown = walk(schema, outputs, (_secret, path) => replace(path));
    return withoutTexts(shown, { secrets, replace, path: '' });
  });
  return {
    config: ofConfig.value,
    outputs: ofOutputs.value,
    masked: [...ofConfig.paths, ...ofOutputs.paths],
  };
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

function hidden(
  root: string,
  whole: JsonObject,
  hide: (replace: (path: string) => null) => JsonValue | typeof tooMuch,
): { readonly value: JsonObject; readonly paths: readonly string[] } {
  const paths: string[] = [];
  let characters = 0;
  const isLong = () => paths.length > maxPaths || characters > maxPathCharacters;
  const value = hide((path) => {
    characters += path.length;
    if (!isLong()) paths.push(`${root}${path}`);
    return null;
  });
  if (value !== tooMuch && !isLong()) return { value: value as JsonObject, paths };
  const isEmpty = Object.keys(whole).length === 0;
  return isEmpty ? { value: whole, paths: [] } : { value: {}, paths: [root] };
}

interface Search {
  readonly secrets: readonly string[];
  readonly replace: (path: string) => null;
  readonly path: string;
}

function withoutTexts(value: JsonValue, search: Search): JsonValue {
  const { secrets, replace, path } = search;
  if (secrets.length === 0) return value;
  if (typeof value === 'string') return holds(value, secrets) ? replace(path) : value;
  if (typeof value !== 'object' || value === null) return value;
  const within = (name: string) => ({ ...search, path: pointer(path, name) });
  if (isJsonArray(value)) {
    return value.map((item, index) => withoutTexts(item, within(`${index}`)));
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutTexts(member, within(name))]),
  );
}

/** A URL contains a password in its encoded form. */
function holds(text: string, secrets: readonly string[]): boolean {
  return maskText(text, secrets) !== text;
}
