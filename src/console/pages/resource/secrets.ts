// Which values of a record are hidden until somebody asks for them: screens are shared, and pictures of them are kept.
import type { ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { withoutMarked } from '../../../domain/secrets/resource-secrets.ts';
import { typeSchemas } from '../../../domain/secrets/type-schemas.ts';
import { typeVersionsIn } from '../../../domain/type-version.ts';
import type { JsonObject } from '../../../lib/json.ts';

interface ShownRecord {
  readonly config: JsonObject;
  readonly outputs: JsonObject;
  readonly adopt: JsonObject | undefined;
  /** JSON Pointers in the record, such as `/config/password`. */
  readonly hidden: readonly string[];
  /** Whether the API hides them, so that asking does not help. */
  readonly isByRole: boolean;
}

/** @param type undefined when it is not known, and then every value is hidden */
export function shownOf(record: ResourceRecord, type: ResourceDefinition | undefined): ShownRecord {
  const { config, outputs, masked = [] } = record;
  const adopt = record.adopt ?? undefined;
  if (masked.length > 0) return { config, outputs, adopt, hidden: masked, isByRole: true };
  const schemas = type && typeSchemas({ schema: type.schema, ...typeVersionsIn(type) });
  const shown = withoutMarked({ config, outputs, adopt }, schemas);
  return { ...shown, hidden: shown.masked, isByRole: false };
}

/** @returns the pointers in one part of the record, from there on */
export function hiddenIn(part: 'config' | 'outputs', hidden: readonly string[]): readonly string[] {
  const root = `/${part}`;
  return hidden
    .filter((path) => path === root || path.startsWith(`${root}/`))
    .map((path) => path.slice(root.length));
}

/** @returns the schema of the config, `{}` when the type has none; undefined when the type is not known */
export function schemaOf(type: ResourceDefinition | undefined): JsonObject | undefined {
  return type && ((type.schema ?? {}) as JsonObject);
}
