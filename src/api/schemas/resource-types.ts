// Defines the requests and responses for resource types.
import { z } from 'zod';
import {
  identityMember,
  identityPointer,
  maxIdentityMembers,
  maxPointerLength,
} from '../../domain/objects/identity.ts';
import { typeOptionFields, typeOptionRules } from '../../domain/type-options.ts';
import { maxEarlierVersions, versionsProblem } from '../../domain/type-version.ts';
import { freeForm, ProviderName, sentBack, Tag, Timestamp, TypeName, TypeVersion } from './core.ts';
import { dryRun } from './dry-run.ts';
import { nullableShape, recordShape } from './fields.ts';

const typeVersion = 'Version of the type, which is the one of `schema`.';
const outputsSchema = 'JSON Schema of the outputs that the provider returns.';
const earlierVersions =
  'Earlier versions of the type that the provider migrates from: their configs are still accepted.';

const EarlierVersion = z.strictObject({
  type_version: TypeVersion.describe('Number of the version.'),
  schema: freeForm.describe('JSON Schema of `config` in this version.'),
  outputs_schema: freeForm.optional().describe('JSON Schema of the outputs in this version.'),
});
const EarlierVersions = z.array(EarlierVersion).max(maxEarlierVersions);

const jsonSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

const Pointers = z
  .record(
    z.string().regex(identityMember, { error: 'Input should be a name such as id' }),
    z
      .string()
      .max(maxPointerLength)
      .regex(identityPointer, { error: 'Input should be a JSON Pointer' }),
  )
  .refine(
    (pointers) => {
      const { length } = Object.keys(pointers);
      return length > 0 && length <= maxIdentityMembers;
    },
    { error: `Set from 1 to ${maxIdentityMembers} members` },
  )
  .meta({ examples: [{ name: '/name' }] });
const Identity = z.strictObject({
  outputs: Pointers.describe('Where outputs have the members of the identity, as JSON Pointers.'),
  adopt: Pointers.describe('Where `adopt`, also that of a listed object, has the same members.'),
});
const identity =
  'Values that tell objects of the type apart: texts, numbers or booleans in outputs and in `adopt`. One object has one resource in an organization.';

const adoptSchema = 'JSON Schema of what identifies an object in an import.';
const { observe: observable, ...otherOptions } = recordShape(typeOptionFields, typeOptionRules);

export const ResourceDefinition = z.object({
  provider: ProviderName,
  resource: TypeName,
  description: z.string(),
  schema: freeForm.nullable().describe('JSON Schema of `config`. Any object is valid when null.'),
  type_version: TypeVersion.describe(`${typeVersion} 1 when the type declares none.`),
  outputs_schema: freeForm.nullable().describe(`${outputsSchema} Any object is valid when null.`),
  earlier_versions: EarlierVersions.describe(earlierVersions),
  ...otherOptions,
  observable,
  adopt_schema: freeForm.nullable().describe(`${adoptSchema} Any object is valid when null.`),
  identity: Identity.nullable().describe(
    `${identity} Null: objects are told apart by the whole \`adopt\`.`,
  ),
  tags: z.array(Tag).nullable(),
  retired: z
    .boolean()
    .describe(
      'True when the version of the provider that serves lacks the type: its resources stay readable, and it accepts no changes.',
    ),
  created_at: Timestamp.describe('Time of the first registration, in ISO 8601, UTC.'),
  updated_at: Timestamp.describe('Time of the last change, in ISO 8601, UTC.'),
});
export const ResourceDefinitions = z.array(ResourceDefinition);

export const RegisteredType = ResourceDefinition.extend({
  incompatible_count: z
    .int()
    .min(0)
    .optional()
    .describe(
      'With `dry_run=true`, the number of resources whose configs do not fit the schema, or that refer to outputs which the type lacks. Otherwise absent.',
    ),
  incompatible_resources: z
    .array(z.string())
    .max(20)
    .optional()
    .describe('With `dry_run=true`, the ids of the first of these resources. Otherwise absent.'),
});

export const RegisterType = sentBack(RegisteredType, {
  provider: ProviderName,
  resource: TypeName,
  description: z.string().max(4_096).default('').describe('Description of the type.'),
  schema: freeForm
    .nullable()
    .optional()
    .describe('JSON Schema of `config`. Any object is valid when absent.')
    .meta({ examples: [jsonSchema] }),
  type_version: TypeVersion.nullable().optional().describe(`${typeVersion} Default: 1.`),
  outputs_schema: freeForm
    .nullable()
    .optional()
    .describe(`${outputsSchema} Any object is valid when absent.`),
  earlier_versions: EarlierVersions.nullable().optional().describe(earlierVersions),
  ...nullableShape(typeOptionFields, typeOptionRules),
  adopt_schema: freeForm
    .nullable()
    .optional()
    .describe(`${adoptSchema} Any object is valid when absent.`),
  identity: Identity.nullable()
    .optional()
    .describe(`${identity} Without it, objects are told apart by the whole \`adopt\`.`),
  observable: z
    .boolean()
    .optional()
    .describe('As in a fetched type: the same as `observe`, which wins.'),
  tags: z.array(Tag).max(64).nullable().optional(),
})
  .superRefine((type, context) => {
    const found = versionsProblem(type);
    if (found === undefined) return;
    const path = ['earlier_versions', found.at, 'type_version'];
    context.addIssue({ code: 'custom', path, message: found.problem });
  })
  .meta({
    examples: [
      {
        provider: 'postgres',
        resource: 'database',
        description: 'A PostgreSQL database with its own role',
        schema: jsonSchema,
      },
    ],
  });

export const RegisterTypeQuery = z.object({
  strict: z
    .boolean()
    .default(false)
    .describe(
      'Rejects a schema that does not fit the configs of existing resources, and an `outputs_schema` that lacks outputs to which some of them refer.',
    ),
  ...dryRun,
});

export const MigrateRequest = z
  .strictObject({
    from: TypeVersion.describe('Version of the type whose schema `config` fits.'),
    config: freeForm.describe('Configuration in that form. References in it stay as they are.'),
  })
  .meta({ examples: [{ from: 1, config: { size: 3 } }] });

export const Migrated = z
  .object({
    config: freeForm.describe('The configuration in the newest form.'),
    type_version: TypeVersion.describe('The newest version of the type.'),
  })
  .meta({ examples: [{ config: { sizeGib: 3 }, type_version: 2 }] });
