// Masks credentials in texts of providers and builds before they are stored in a status, a dead letter or a Kubernetes
// Event. domain/secrets/ masks what schemas mark as secret; here the values are unknown, only the form of well-known
// tokens and the places where credentials stand.
import { maskedValue } from '../domain/secrets/mask-text.ts';
import { tokensIn } from './tokens.ts';

/** At most 4 KiB are stored; text beyond this limit is never shown. */
const maxRead = 8_192;

type Range = readonly [from: number, to: number];

/** Bounded repetitions: the text is untrusted, and these run between other requests. */
const places: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|$)/g, ''],
  [
    /\b((?:proxy-)?authorization["']?\s{0,4}[:=]\s{0,4}["']?)(?:[a-z]{2,16}\s{1,4})?[^\s"',;]+/gi,
    '$1',
  ],
  [/\b((?:bearer|basic)\s{1,4})(?=[^\s"',;]*[0-9])[A-Za-z0-9._~+/-]{8,}={0,2}/gi, '$1'],
  [/\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*/g, ''],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>]+(?=@)/gi, '$1'],
  [
    /\b([\w-]{0,40}(?:password|passwd|pwd|secret|token|api_?key)s?(?:["']?\s{0,4}=\s{0,4}|["']\s{0,4}:\s{0,4}(?=["'])))("[^"]*"?|'[^']*'?|[^\s,;&"']+)/gi,
    '$1',
  ],
];

/**
 * @param text output of a provider or a build; cut at 8 KiB
 * @returns the text with `[masked]` in place of everything that looks like a credential
 */
export async function maskCredentials(text: string): Promise<string> {
  let shown = text.slice(0, maxRead);
  for (const [pattern, kept] of places) shown = shown.replace(pattern, `${kept}${maskedValue}`);
  const found = await tokensIn(shown);
  // From the end, so that the other ranges stay valid.
  for (const [from, to] of mergedRanges(found.map(({ range }) => range)).reverse()) {
    shown = shown.slice(0, from) + maskedValue + shown.slice(to);
  }
  return shown;
}

/** @returns the same ranges in order, with overlapping or adjacent ones merged */
function mergedRanges(ranges: readonly Range[]): Range[] {
  const all: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([left], [right]) => left - right)) {
    const last = all.at(-1);
    if (last === undefined || from > last[1]) all.push([from, to]);
    else last[1] = Math.max(last[1], to);
  }
  return all;
}
