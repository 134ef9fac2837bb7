// Shows a value to people.

/** @returns a text as it is, and another value as JSON */
export function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
