// Reads the address of the next page from a Link header (RFC 8288).

/** @returns the path with its query, undefined when there is no next page */
export function nextPage(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === 'string' ? header : (header ?? []).join(', ');
  for (const [, target = '', parameters = ''] of text.matchAll(/<([^>]*)>([^,]*)/g)) {
    if (!/;\s*rel="?next"?/i.test(parameters)) continue;
    // Only path and query count: a token is not sent to another origin because a header names it.
    const { pathname, search } = new URL(target, 'http://api.invalid');
    // Two slashes would begin another address.
    return pathname.replace(/^\/+/, '/') + search;
  }
  return undefined;
}
