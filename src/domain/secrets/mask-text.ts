// Masks secrets in texts, however they are escaped there.
import { isJsonArray, type JsonObject, type JsonValue, mapMembers } from '../../lib/json.ts';
import { oneLine } from '../../lib/text.ts';
import { createTextSearch, type TextSearch } from '../../lib/text-search.ts';

export const maskedValue = '[masked]';

/** Shorter ones are shown: they are parts of many words. */
export const minSecretLength = 4;

/** Records with more, as in an attack, have their texts masked whole. */
const maxSecrets = 4_000;
const maxCharacters = 262_144;
/** The limit of all spellings: those of texts that are escaped throughout are nine times as long. */
const maxSpelled = 524_288;

/** Hides the secrets of one record in any number of texts; made once for the record, because that takes longer than a search. */
export interface SecretMask {
  /** @returns the text with `[masked]` in place of each secret of four characters or more, however it is escaped */
  text(text: string): string;
  /** @returns the value with each text so, and `[masked]` in place of each number that contains a secret */
  value(value: JsonValue): JsonValue;
  /** @returns whether a text contains a secret, as a URL contains a password in its encoded form */
  isIn(text: string): boolean;
}

/** Spells the secrets when the first text is masked. */
export function createSecretMask(secrets: readonly string[]): SecretMask {
  let made: TextSearch | 'too many' | undefined;

  function text(given: string): string {
    if (given.length < minSecretLength || secrets.length === 0) return given;
    made ??= searchFor(secrets);
    return made === 'too many' ? maskedValue : withoutFound(given, made);
  }

  const isIn = (given: string) => text(given) !== given;
  function value(given: JsonValue): JsonValue {
    if (typeof given === 'string') return text(given);
    if (typeof given === 'number') return isIn(`${given}`) ? maskedValue : given;
    if (typeof given !== 'object' || given === null) return given;
    if (isJsonArray(given)) return given.map(value);
    return mapMembers(given as JsonObject, value);
  }
  return { text, value, isIn };
}

/** @returns the secrets, and the lines of those that have several: they are printed one below the other */
export function inLines(secrets: readonly string[]): readonly string[] {
  return secrets.flatMap((secret) => {
    const lines = secret.split('\n').map((line) => line.trim());
    return lines.length === 1 ? [secret] : [secret, ...lines];
  });
}

function searchFor(secrets: readonly string[]): TextSearch | 'too many' {
  const long = new Set(secrets.filter((secret) => secret.length >= minSecretLength));
  let left = maxCharacters;
  for (const { length } of long) left -= length;
  if (long.size > maxSecrets || left < 0) return 'too many';
  const forms = new Set<string>();
  let spelled = 0;
  for (const secret of long) {
    for (const form of secretSpellings(secret)) {
      if (form.length < minSecretLength || forms.has(form)) continue;
      forms.add(form);
      spelled += form.length;
    }
    if (spelled > maxSpelled) return 'too many';
  }
  return createTextSearch(forms);
}

/**
 * Overlapping secrets are masked as one: no part of them may remain. Neither may the beginning of one at the end of a text
 * that was cut.
 */
function withoutFound(text: string, secrets: TextSearch): string {
  const isCut = text.endsWith('…');
  const end = isCut ? text.length - 1 : text.length;
  const covered: [from: number, to: number][] = [];
  const cover = (from: number, to: number) => {
    let first = from;
    for (let last = covered.at(-1); last !== undefined && last[1] >= first; last = covered.at(-1)) {
      first = Math.min(first, last[0]);
      covered.pop();
    }
    covered.push([first, to]);
  };
  const begun = secrets.search(isCut ? text.slice(0, end) : text, cover);
  if (isCut && begun >= minSecretLength) cover(end - begun, end);
  let result = '';
  let shown = 0;
  for (const [from, to] of covered) {
    result += text.slice(shown, from) + maskedValue;
    shown = to;
  }
  return result + text.slice(shown);
}

/** @returns the secret as it is, and escaped as texts have it */
export function secretSpellings(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
  const plus = encoded.replaceAll('%20', '+');
  const escaped = JSON.stringify(secret).slice(1, -1);
  // Texts of one line, such as those of a log, have a space for each break.
  return [secret, escaped, encoded, lower, plus, oneLine(secret), oneLine(escaped)];
}
