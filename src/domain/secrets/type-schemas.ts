// The schemas of a type that mark secrets, in its present version and in those that stored values may still have. Pure.
import type { JsonObject } from '../../lib/json.ts';

export interface TypeSchemas {
  /** The schemas of the version of now and of earlier ones: a config keeps its version. */
  readonly config: readonly JsonObject[];
  /** Likewise: outputs stay as they are until the next success. */
  readonly outputs: readonly JsonObject[];
  /** The schemas of what identifies an object in an import. It has no versions. */
  readonly adopt: readonly JsonObject[];
}

type StoredSchema = Readonly<Record<string, unknown>> | null | undefined;

/** The schemas that a type declares for its values. */
interface SchemasOfType {
  readonly schema?: StoredSchema;
  readonly outputsSchema?: StoredSchema;
  readonly adoptSchema?: StoredSchema;
  readonly earlierVersions?:
    | readonly { readonly schema?: StoredSchema; readonly outputsSchema?: StoredSchema }[]
    | undefined;
}

const known = new WeakMap<SchemasOfType, TypeSchemas>();

/**
 * @returns the same object for the same type, which is never mutated
 * @example typeSchemas({ schema, outputsSchema }) // { config: [schema], outputs: [outputsSchema], adopt: [] }
 */
export function typeSchemas(type: SchemasOfType): TypeSchemas {
  const before = known.get(type);
  if (before !== undefined) return before;
  const { schema, outputsSchema, adoptSchema, earlierVersions = [] } = type;
  const outputs = [outputsSchema, ...earlierVersions.map((each) => each.outputsSchema)];
  const config = [schema ?? {}, ...earlierVersions.map((each) => each.schema)];
  const isThere = (each: StoredSchema) => each != null;
  const schemas = {
    config: config.filter(isThere),
    outputs: outputs.filter(isThere),
    adopt: [adoptSchema].filter(isThere),
  };
  known.set(type, schemas as TypeSchemas);
  return schemas as TypeSchemas;
}

/** For what has no outputs, and was not imported. */
export function configOnly(schema: JsonObject | undefined): TypeSchemas | undefined {
  return schema && { config: [schema], outputs: [], adopt: [] };
}
