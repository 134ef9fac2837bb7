// Bounds the lines that a provider logged for an event. They are untrusted, in its answer and in a stored dead letter.

import { clean, truncate } from '../lib/text.ts';
import { maxLogBytes, maxLogLineBytes, maxLogLines } from './event.ts';

/** @returns the last of the lines, the newest last: without line breaks, safe for a terminal; none of anything but a list */
export function logExcerpt(lines: unknown): readonly string[] {
  if (!Array.isArray(lines)) return [];
  const kept: string[] = [];
  let left = maxLogBytes;
  for (const line of lines.slice(-maxLogLines).reverse() as readonly unknown[]) {
    const shown = typeof line === 'string' ? excerptLine(line) : '';
    left -= Buffer.byteLength(shown);
    if (left < 0) break;
    if (shown !== '') kept.unshift(shown);
  }
  return kept;
}

/** A line that is cut ends with an ellipsis: masking finds the beginning of a secret before it. */
function excerptLine(text: string): string {
  return clean(truncate(text, maxLogLineBytes), maxLogLineBytes).replace(/\s+/g, ' ');
}
