// Builds the Link header of a page (RFC 8288): the same query, continued after this page.

/** @returns no header when there is no next page */
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
