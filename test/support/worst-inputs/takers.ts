// Finds the functions that take what tenants write, by the types of their parameters in the text of the source.

/** The folders whose functions are pure. */
export const pureFolders = [
  ...['client', 'domain', 'events', 'lib', 'providers/schema-sandbox', 'tenant-schema'],
];

/** Types of values, of schemas, and of what holds them. */
const tenantTypes =
  /\b(?:JsonObject|JsonValue|Marks|TypeSchemas|TypeWithSchemas|SchemasOfType|Stored|StoredContents|Unstored|ComparedTypes|ComparedValues|Resolution|Unresolved|Reference|Place)\b/;
const declaration = /^export (?:async )?function\*? (\w+)(?:<[^(]*>)?\(/gm;

/** @returns the names of the functions that a module exports and that take what a tenant wrote */
export function takersIn(text: string): readonly string[] {
  return [...text.matchAll(declaration)].flatMap(({ 0: whole, 1: name = '', index }) => {
    const parameters = enclosed(text, index + whole.length);
    return tenantTypes.test(parameters) ? [name] : [];
  });
}

/** @returns the text up to the parenthesis that closes the one before it */
function enclosed(text: string, start: number): string {
  let open = 1;
  let end = start;
  for (; open > 0 && end < text.length; end += 1) {
    if (text[end] === '(') open += 1;
    else if (text[end] === ')') open -= 1;
  }
  return text.slice(start, end);
}
