// Groups failures by cause: removes from an error text what differs between resources and over time.
import { sha256Hex } from '../identity.ts';

// Each regex reads its text once, left to right, and none of its alternatives can begin inside another: linear for any text.
const changing: readonly (readonly [RegExp, string])[] = [
  [/"[^"\n]{0,512}"|`[^`\n]{0,512}`|(?<![a-z0-9])'[^'\n]{0,512}'/gi, '<text>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b\d{4}-\d\d-\d\d(?:t|\s)\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?:z|[+-]\d\d:?\d\d)?/gi, '<time>'],
  [/\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?::\d{1,5})?\b/gi, '<address>'],
  [/\[[0-9a-f:.]{2,45}\](?::\d{1,5})?/gi, '<address>'],
  [/(?<![0-9a-z:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![0-9a-z:])/gi, '<address>'],
  [/\b(?=[a-f]{0,64}\d)[0-9a-f]{8,}\b/gi, '<id>'],
  [/\d+(?:\.\d+)*/gi, '<n>'],
];

/**
 * @param names the spellings of the resource name that may occur in the text
 * @returns the failure text that many resources share: words in `<>` replace what changes
 */
export function pattern(message: string, names: readonly string[] = []): string {
  let text = message;
  const longestFirst = [...new Set(names)]
    .filter((name) => name.length > 1)
    .sort((left, right) => right.length - left.length);
  for (const name of longestFirst) {
    // Few of the spellings occur, and compiling an expression costs more than the rest.
    const occurs = text.toLowerCase().includes(name.toLowerCase());
    if (occurs) text = text.replace(word(name), '<name>');
  }
  for (const [form, placeholder] of changing) text = text.replace(form, placeholder);
  return text.replace(/\s+/g, ' ').trim();
}

/** @returns 12 hex digits, equal for dead letters that one repair probably fixes */
export function fingerprint(
  provider: string,
  failure: { code: string; message: string },
  names: readonly string[] = [],
): string {
  const parts = [provider, failure.code, pattern(failure.message, names).toLowerCase()];
  return sha256Hex(JSON.stringify(parts)).slice(0, 12);
}

/** Matches a name as a whole word: `a` in `a failed`, but not in `lazy`. */
function word(name: string): RegExp {
  const literal = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![a-z0-9])${literal}(?![a-z0-9])`, 'gi');
}
