// The header Warning of RFC 9110, which clients of Kubernetes show, too. Pure.
import { truncate } from '../../lib/text.ts';

/** Names of tenants are in the texts: their number and length are bounded, as clients bound headers. */
const maxWarnings = 5;
const maxLength = 400;

/** @returns the header with the texts, which are sentences without a full stop; nothing without any */
export function warningHeader(texts: readonly string[]): Readonly<Record<string, string>> {
  const shown = [...new Set(texts)].slice(0, maxWarnings);
  return shown.length === 0 ? {} : { Warning: shown.map(warningValue).join(', ') };
}

function warningValue(text: string): string {
  const visible = truncate(text, maxLength).replaceAll(/[^\x20-\x7e]/g, '?');
  return `299 - "${visible.replaceAll(/["\\]/g, '\\$&')}"`;
}
