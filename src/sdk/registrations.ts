// The registrations of types: what builds record, and `POST /resources/register` takes.
import type { z } from 'zod';
import { immutableProblem, type SchemaOf } from '../domain/schemas/immutable.ts';
import { type DeclaredTypeOptionsBody, typeOptionsBody } from '../domain/type-options.ts';
import { firstTypeVersion, type TypeVersionsBody } from '../domain/type-version.ts';
import { type JsonObject, withoutUndefined } from '../lib/json.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { Provider, ResourceType } from './provider.ts';
import { optionsOfType } from './type-options.ts';

/** The body of `POST /resources/register`; of the options and the versions only those that the type declares. */
export interface Registration extends DeclaredTypeOptionsBody, TypeVersionsBody {
  readonly provider: string;
  readonly resource: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/**
 * @returns the registrations of a provider's types, with the JSON Schemas of their configs and outputs, also of versions that they
 * migrate from, and of `adopt`
 * @throws TypeError when a schema cannot be converted to JSON Schema, unless it is that of the outputs of a type that was made by the
 * function `resource`, which is then absent; when a mark `immutable` cannot work where it stands
 */
export function registrationsOf({ name, types }: Provider): readonly Registration[] {
  return [...types.values()].map((type) =>
    withoutUndefined({
      provider: name,
      resource: type.name,
      description: type.description,
      schema: configSchema(type.config, part('config', type.version)),
      type_version: type.version,
      outputs_schema: newestOutputsSchema(type),
      earlier_versions: type.migrations?.map(({ from: version, config, outputs }) => ({
        type_version: version,
        schema: configSchema(config, `the config of version ${version}`),
        outputs_schema: outputsSchema(outputs, `the outputs of version ${version}`),
      })),
      adopt_schema: type.adopt && adoptSchema(type.adopt),
      ...typeOptionsBody(optionsOfType(type)),
    }),
  );
}

function part(what: string, version = firstTypeVersion): string {
  return version === firstTypeVersion ? `its ${what}` : `the ${what} of version ${version}`;
}

/** Before types had versions, the schema of outputs had to satisfy nobody but zod. Builds say when they do not record one. */
function newestOutputsSchema({ outputs, version }: ResourceType): JsonObject | undefined {
  const what = part('outputs', version);
  if (version !== undefined) return outputsSchema(outputs, what);
  try {
    return jsonSchemaOf(outputs, { io: 'output', what });
  } catch {
    return undefined;
  }
}

/** The form that people write, in which fields with defaults are optional. */
function configSchema(schema: z.ZodType, what: string): JsonObject {
  return withMarks(jsonSchemaOf(schema, { io: 'input', what }), 'config', what);
}

/** The form that handlers returned, parsed. */
function outputsSchema(schema: z.ZodType, what: string): JsonObject {
  return withMarks(jsonSchemaOf(schema, { io: 'output', what }), 'outputs', what);
}

/** The form that people write. */
function adoptSchema(schema: z.ZodType): JsonObject {
  const what = 'its adopt';
  return withMarks(jsonSchemaOf(schema, { io: 'input', what }), 'adopt', what);
}

function withMarks(schema: JsonObject, of: SchemaOf, what: string): JsonObject {
  const found = immutableProblem(schema, of);
  if (found === undefined) return schema;
  const where = found.at.split('/').slice(1).join('.');
  throw new TypeError(`${what} cannot be used at ${where}: ${found.problem}`);
}
