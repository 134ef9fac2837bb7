// Validates a config against the schema of its type as far as possible before its references have values. The reconciler
// validates the complete config later.

import type { JsonObject } from '../../lib/json.ts';
import type { Violation } from '../errors.ts';
import { resolveReferences, withoutReferenced } from '../references/references.ts';
import type { SchemaSandbox } from './schema.ts';

/** @returns violations, `loc` relative to the config */
export async function checkConfig(
  schemas: Pick<SchemaSandbox, 'validate'>,
  schema: JsonObject,
  { config, tenant }: { config: JsonObject; tenant: string },
): Promise<readonly Violation[]> {
  // Escapes are already known text.
  const known = resolveReferences(config, () => undefined).config;
  return withoutReferenced(await schemas.validate(schema, known, tenant), config);
}
