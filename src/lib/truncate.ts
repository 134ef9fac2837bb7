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
