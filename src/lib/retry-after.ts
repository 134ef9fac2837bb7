// Reads the header Retry-After.

const httpDate = /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/;
const maxSeconds = 1e9;

/** Parses seconds or an HTTP date (RFC 9110). @returns milliseconds from now, undefined when there is neither */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Math.min(Number(header), maxSeconds) * 1_000;
  // Date.parse accepts almost anything that contains a digit.
  const date = httpDate.test(header.trim()) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
