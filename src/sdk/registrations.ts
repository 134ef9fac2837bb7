// The registrations of types: what builds record, and `POST /resources/register` takes.
import { z } from 'zod';
import { type DeliveryOptionsBody, deliveryOptionsBody } from '../domain/delivery-options.ts';
import { firstTypeVersion, type TypeVersionsBody } from '../domain/type-version.ts';
import { type JsonObject, withoutUndefined } from '../lib/json.ts';
import { thrownText } from './failure-text.ts';
import type { Provider, ResourceType } from './provider.ts';

/** The body of `POST /resources/register`; of the options of delivery and the versions only those that the type declares. */
export interface Registration extends DeliveryOptionsBody, TypeVersionsBody {
  readonly provider: string;
  readonly resource: string;
  readonly description: string;
  readonly schema: JsonObject;
}

/**
 * @returns the registrations of a provider's types, with the JSON Schemas of their configs and outputs, also of versions that they
 * migrate from
 * @throws TypeError when a schema cannot be converted to JSON Schema, unless it is that of the outputs of a type that was made by the
 * function `resource`, which is then absent
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
      ...deliveryOptionsBody({ ...type, cancelsOperations: type.cancel !== undefined }),
    }),
  );
}

function part(what: string, version = firstTypeVersion): string {
  return version === firstTypeVersion ? `its ${what}` : `the ${what} of version ${version}`;
}

/** Before types had versions, the schema of outputs had to satisfy nobody but zod. */
function newestOutputsSchema({ outputs, version }: ResourceType): JsonObject | undefined {
  try {
    return outputsSchema(outputs, part('outputs', version));
  } catch (thrown) {
    if (version === undefined) return undefined;
    throw thrown;
  }
}

/** The form that people write, in which fields with defaults are optional. */
function configSchema(schema: z.ZodType, what: string): JsonObject {
  return jsonSchema(schema, { io: 'input', what });
}

/** The form that handlers returned, parsed. */
function outputsSchema(schema: z.ZodType, what: string): JsonObject {
  return jsonSchema(schema, { io: 'output', what });
}

function jsonSchema(
  schema: z.ZodType,
  { io, what }: { readonly io: 'input' | 'output'; readonly what: string },
): JsonObject {
  if (!('_zod' in schema)) {
    throw new TypeError(`${what} is not a zod 4 schema; create it with z of fairlead/provider`);
  }
  try {
    return z.toJSONSchema(schema, { io }) as unknown as JsonObject;
  } catch (thrown) {
    const why = thrownText(thrown, 'Zod');
    throw new TypeError(`${what} cannot be converted to JSON Schema: ${why}`, { cause: thrown });
  }
}
