// Reads the preference `wait` of the header `Prefer` (RFC 7240): how long the client waits for a result.

const maxSeconds = 60;

/**
 * @param header `Prefer`, several joined by commas
 * @returns whole seconds, at most 60; undefined when there is no such preference, or one that is not understood, which
 *   RFC 7240 wants ignored
 */
export function preferredWait(header: string): number | undefined {
  for (const part of header.split(',')) {
    const [, digits] = /^\s*wait\s*=\s*"?([0-9]{1,9})"?\s*(?:;|$)/i.exec(part) ?? [];
    // The first one counts.
    if (digits !== undefined) return Math.min(Number(digits), maxSeconds);
  }
  return undefined;
}
