// The bounds of the schema of a tenant. The sandbox refuses a larger one, and functions that read schemas rely on it.

export const schemaBounds = {
  bytes: 64 * 1024,
  /** Nested schemas, including the outermost one. */
  depth: 20,
  schemas: 2_000,
  /** Members of one `properties`, `$defs`, `required` … */
  names: 300,
  branches: 50,
  enumValues: 500,
  patternLength: 1_024,
  /** Schemas that apply to one value after all references are followed. */
  expansion: 10_000,
} as const;
