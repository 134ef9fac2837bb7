// Headers of responses: the next page of a list, and warnings. Pure.
import { truncate } from '../../lib/text.ts';

/**
 * The header Link of a page (RFC 8288): the same query, continued after this page.
 * @returns no header when there is no next page
 */
export function linkTo(
  path: string,
  query: Readonly<Record<string, unknown>>,
  next: string | undefined,
): Record<string, string> {
  if (next === undefined) return {};
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor: next })) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) parameters.append(name, `${each}`);
  }
  return { Link: `<${path}?${parameters.toString()}>; rel="next"` };
}

/** Names of tenants are in the texts: their number and length are bounded, as clients bound headers. */
const maxWarnings = 5;
const maxLength = 400;

/**
 * The header Warning of RFC 9110, which clients of Kubernetes show, too.
 * @returns the header with the texts, which are sentences without a full stop; nothing without any
 */
export function warningHeader(texts: readonly string[]): Readonly<Record<string, string>> {
  const shown = [...new Set(texts)].slice(0, maxWarnings);
  return shown.length === 0 ? {} : { Warning: shown.map(warningValue).join(', ') };
}

function warningValue(text: string): string {
  const visible = truncate(text, maxLength).replaceAll(/[^\x20-\x7e]/g, '?');
  return `299 - "${visible.replaceAll(/["\\]/g, '\\$&')}"`;
}
