// Groups failures by cause: removes from an error text what differs between resources and over time.
import { sha256Hex } from './identity.ts';

// Each reads its text once, from left to right, and no alternative of one can begin inside another: linear for any text.
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
 * @param names what the resource is called, in any spelling that may be part of the text
 * @returns the text of a failure as many resources share it: words in `<>` for what changes
 */
export function pattern(message: string, names: readonly string[] = []): string {
  let text = message;
  const longestFirst = [...new Set(names)]
    .filter((name) => name.length > 1)
    .sort((left, right) => right.length - left.length);
  for (const name of longestFirst) text = text.replace(word(name), '<name>');
  for (const [form, placeholder] of changing) text = text.replace(form, placeholder);
  return text.replace(/\s+/g, ' ').trim();
}

/** @returns 12 hex digits, equal for letters that one repair probably helps */
export function fingerprint(
  provider: string,
  failure: { code: string; message: string },
  names: readonly string[] = [],
): string {
  const parts = [provider, failure.code, pattern(failure.message, names).toLowerCase()];
  return sha256Hex(JSON.stringify(parts)).slice(0, 12);
}

/** A name as a word of its own: `a` in `a failed`, never the one in `lazy`. */
function word(name: string): RegExp {
  const literal = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![a-z0-9])${literal}(?![a-z0-9])`, 'gi');
}
