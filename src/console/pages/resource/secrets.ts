// Which values of a record are hidden until somebody asks for them: screens are shared, and pictures of them are kept.
import type { ResourceDefinition, ResourceRecord } from '../../../api/shapes.ts';
import { withoutMarked } from '../../../domain/secrets/resource-secrets.ts';
import { configOnly } from '../../../domain/secrets/type-schemas.ts';
import type { JsonObject } from '../../../lib/json.ts';

export interface ShownRecord {
  readonly config: JsonObject;
  readonly outputs: JsonObject;
  /** JSON Pointers in the record, such as `/config/password`. */
  readonly hidden: readonly string[];
  /** Whether the API hides them, so that asking does not help. */
  readonly isByRole: boolean;
}

/** @param schema of the type; undefined when it is not known, and then every value is hidden */
export function shownOf(record: ResourceRecord, schema: JsonObject | undefined): ShownRecord {
  const { config, outputs, masked = [] } = record;
  if (masked.length > 0) return { config, outputs, hidden: masked, isByRole: true };
  const shown = withoutMarked({ config, outputs }, configOnly(schema));
  return { ...shown, hidden: shown.masked, isByRole: false };
}

/** @returns the pointers in one part of the record, from there on */
export function hiddenIn(part: 'config' | 'outputs', hidden: readonly string[]): readonly string[] {
  const root = `/${part}`;
  return hidden
    .filter((path) => path === root || path.startsWith(`${root}/`))
    .map((path) => path.slice(root.length));
}

/** @returns the schema of a type, `{}` when it has none; undefined when the type is not registered */
export function schemaOf(
  { provider, resource }: Pick<ResourceRecord, 'provider' | 'resource'>,
  types: readonly ResourceDefinition[] | undefined,
): JsonObject | undefined {
  const type = types?.find((each) => each.provider === provider && each.resource === resource);
  return type && (type.schema ?? {});
}
