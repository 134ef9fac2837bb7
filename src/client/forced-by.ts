// Reads the header that names the fields because of which a resource is replaced. Pure.

/** @returns JSON Pointers into the record, such as `/config/region`; none without the header */
export function forcedByIn(header: string | null | undefined): readonly string[] {
  return (header ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map(decoded);
}

/** A text that a proxy has changed is shown as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
