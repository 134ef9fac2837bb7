// The schemas that mark secrets in the resources of a type, from the type as the API shows it.
import type { ResourceDefinition } from '../api/shapes.ts';
import { type TypeSchemas, typeSchemas } from '../domain/secrets/type-schemas.ts';
import { typeVersionsIn } from '../domain/type-version.ts';

/** @example schemasOfType(type).config // [schema of the newest version, schema of an earlier one] */
export function schemasOfType({ schema, ...type }: ResourceDefinition): TypeSchemas {
  return typeSchemas({ schema, ...typeVersionsIn(type) });
}
