// The registrations of types: what builds record, and `POST /resources/register` takes.
import type { z } from 'zod';
import { fromKeyword, fromProblem } from '../domain/schemas/deprecated-outputs.ts';
import { immutableProblem, type SchemaOf } from '../domain/schemas/immutable.ts';
import { type DeclaredTypeOptionsBody, typeOptionsBody } from '../domain/type-options.ts';
import { firstTypeVersion, type TypeVersionsBody } from '../domain/type-version.ts';
import {
  isJsonObject,
  type JsonObject,
  mapMembers,
  pointer,
  withoutUndefined,
} from '../lib/json.ts';
import { jsonSchemaOf } from './json-schema.ts';
import type { Provider } from './provider.ts';
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
 * @throws TypeError when a schema cannot be converted to JSON Schema, and when a mark `immutable` cannot work where it stands
 */
export function registrationsOf({ name, types }: Provider): readonly Registration[] {
  return [...types.values()].map((type) =>
    withoutUndefined({
      provider: name,
      resource: type.name,
      description: type.description,
      schema: configSchema(type.config, part('config', type.version)),
      type_version: type.version,
      outputs_schema: outputsSchema(type.outputs, part('outputs', type.version)),
      earlier_versions: type.migrations?.map(({ from: version, config, outputs }) => ({
        type_version: version,
        schema: configSchema(config, `the config of version ${version}`),
        outputs_schema: outputsSchema(outputs, `the outputs of version ${version}`),
      })),
      adopt_schema: type.adopt && adoptSchema(type.adopt),
      identity: type.identity?.pointers,
      ...typeOptionsBody(optionsOfType(type)),
    }),
  );
}

function part(what: string, version: number): string {
  return version === firstTypeVersion ? `its ${what}` : `the ${what} of version ${version}`;
}

/** The form that people write, in which fields with defaults are optional. */
function configSchema(schema: z.ZodType, what: string): JsonObject {
  return withMarks(jsonSchemaOf(schema, { io: 'input', what }), 'config', what);
}

/** The form that handlers returned, parsed. */
function outputsSchema(schema: z.ZodType, what: string): JsonObject {
  const converted = jsonSchemaOf(schema, { io: 'output', what });
  return withMarks(withPointers(converted), 'outputs', what);
}

/** Authors name the output that replaces a deprecated one; a schema has its JSON Pointer. */
function withPointers(schema: JsonObject): JsonObject {
  const members = schema['properties'];
  if (!isJsonObject(members)) return schema;
  const properties = mapMembers(members, (member) => {
    if (!isJsonObject(member)) return member;
    const { from, ...rest } = member;
    if (typeof from !== 'string' || rest['deprecated'] !== true) return member;
    return { ...rest, [fromKeyword]: from.startsWith('/') ? from : pointer('', from) };
  });
  return { ...schema, properties };
}

/** The form that people write. */
function adoptSchema(schema: z.ZodType): JsonObject {
  const what = 'its adopt';
  return withMarks(jsonSchemaOf(schema, { io: 'input', what }), 'adopt', what);
}

function withMarks(schema: JsonObject, of: SchemaOf, what: string): JsonObject {
  const found = immutableProblem(schema, of) ?? fromProblem(schema, of);
  if (found === undefined) return schema;
  const where = found.at.split('/').slice(1).join('.');
  throw new TypeError(`${what} cannot be used at ${where}: ${found.problem}`);
}
