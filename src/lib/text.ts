// Cleans untrusted text for storage and display; shortens, decodes and compares texts.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
const escapes = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[@-_]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** @returns text safe for a terminal, a log and a ConfigMap: valid, without control characters, at most `limit` bytes */
export function clean(text: string, limit: number): string {
  const plain = text.replace(escapes, '').replace(controls, ' ').toWellFormed().trim();
  const bytes = Buffer.from(plain);
  if (bytes.length <= limit) return plain;
  // A character cut in two decodes to U+FFFD.
  return `${bytes
    .subarray(0, limit - 3)
    .toString()
    .replace(/\uFFFD+$/, '')}…`;
}

/**
 * Shortens a text for display.
 * @param maxLength in UTF-16 code units, the ellipsis included
 * @returns the text itself when it is short enough; never a partial character
 * @example truncate('abcdef', 4) // 'abc…'
 */
export function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Without `Intl`, whose first use takes 12 ms.
 * @returns a number with its thousands apart and at most three decimals, such as `1,204.5`
 */
export function figure(number: number): string {
  return String(Math.round(number * 1_000) / 1_000).replace(/\B(?=(?:\d{3})+(?:\.|$))/g, ',');
}

/**
 * @param total of which `names` are the first; default: their number
 * @example firstNames(['a', 'b', 'c'], 2) // 'a, b and 1 more'
 */
export function firstNames(names: readonly string[], most: number, total = names.length): string {
  const shown = names.slice(0, most);
  const more = total > shown.length ? [`and ${total - shown.length} more`] : [];
  return [...(shown.length === 0 ? [] : [shown.join(', ')]), ...more].join(' ');
}

export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** @returns the text without its percent-encoding, and as it is when that is not valid */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Compares as JavaScript does, whatever the locale. */
export function byCodeUnit(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** @returns whether a line is one of a stack trace of Node */
export function isFrame(line: string): boolean {
  return /^\s+at \S/.test(line);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** @returns the text for use in HTML, between tags and in quoted attributes */
export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
