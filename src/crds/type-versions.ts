// Declares the versions of a type: in ResourceDefinitions and Builds, and as builds report it.
import { z } from 'zod';
import {
  identityMember,
  identityPointer,
  maxIdentityMembers,
  maxPointerLength,
} from '../domain/objects/identity.ts';
import {
  maxEarlierVersions,
  maxTypeVersion,
  type TypeVersionsBody,
  versionsProblem,
} from '../domain/type-version.ts';
import { freeForm } from './define.ts';

export const typeVersion = z.int().min(1).max(maxTypeVersion);

const EarlierVersion = z.object({
  typeVersion: typeVersion.describe('Number of the version.'),
  schema: freeForm('JSON Schema that the config of a resource of this version must satisfy.'),
  outputsSchema: freeForm('JSON Schema of the outputs of this version.').optional(),
});

function pointers(description: string) {
  return z
    .record(z.string(), z.string().max(maxPointerLength).regex(identityPointer))
    .describe(description)
    .meta({ minProperties: 1, maxProperties: maxIdentityMembers });
}

export const typeVersions = {
  typeVersion: typeVersion
    .optional()
    .describe('Version of the type, which is the one of its schema; default 1.'),
  outputsSchema: freeForm(
    'JSON Schema of the outputs that the provider returns. Any object is valid when absent.',
  ).optional(),
  outputsFieldOrder: freeForm(
    'Order of the fields of the schema of the outputs, as fieldOrder has it.',
  ).optional(),
  adoptSchema: freeForm(
    'JSON Schema of what identifies an object in an import. Any object is valid when absent.',
  ).optional(),
  identity: z
    .object({
      outputs: pointers('Where outputs have the members of the identity.'),
      adopt: pointers('Where adopt, also that of a listed object, has the same members.'),
    })
    .optional()
    .describe('Values that tell objects of the type apart, each by its JSON Pointer.'),
  earlierVersions: z
    .array(EarlierVersion)
    .max(maxEarlierVersions)
    .optional()
    .describe('Earlier versions of the type that the provider migrates from.')
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['typeVersion'] }),
};

const schema = z.record(z.string(), z.unknown());
const reportedPointers = z
  .record(z.string().regex(identityMember), z.string().max(maxPointerLength).regex(identityPointer))
  .refine(hasMembers);

function hasMembers(pointers: object): boolean {
  const { length } = Object.keys(pointers);
  return length > 0 && length <= maxIdentityMembers;
}

/** In the report of a build. */
export const reportedVersions = {
  type_version: typeVersion.optional(),
  outputs_schema: schema.optional(),
  adopt_schema: schema.optional(),
  identity: z.object({ outputs: reportedPointers, adopt: reportedPointers }).optional(),
  earlier_versions: z
    .array(z.object({ type_version: typeVersion, schema, outputs_schema: schema.optional() }))
    .max(maxEarlierVersions)
    .optional(),
};

/** Returns whether a reported type has only earlier versions that are earlier, each once. */
export function hasProperVersions(reported: object): boolean {
  return versionsProblem(reported as TypeVersionsBody) === undefined;
}
