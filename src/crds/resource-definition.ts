// Defines ResourceDefinition: a type that a provider registered, with its JSON Schema.
import { z } from 'zod';
import { providerPattern, typePattern } from '../domain/identity.ts';
import { versionPattern } from '../domain/providers/build.ts';
import { Conditions } from './conditions.ts';
import { dateTime, defineKind, freeForm, immutable, type ObjectOf } from './define.ts';
import { fieldOrder } from './field-order.ts';
import { namedAfter } from './naming.ts';
import { typeOptions } from './type-options.ts';
import { typeVersions } from './type-versions.ts';

const providerVersion = z.string().max(15).regex(versionPattern);

/** The members that a version of a provider can declare about a type. */
const content = {
  description: z.string().max(4_096).default('').describe('Description of the resource type.'),
  schema: freeForm(
    'JSON Schema that the config of a resource must satisfy. Any object is valid when absent.',
  ).optional(),
  fieldOrder,
  ...typeVersions,
  ...typeOptions,
};

const Next = z.object({
  version: providerVersion.describe('Version of the provider.'),
  ...content,
  retired: z.boolean().optional().describe('True when the version lacks the type.'),
});

const Retired = z.object({
  version: providerVersion.describe('Version of the provider that lacks the type.'),
  at: dateTime.describe('Time at which that version started to serve events.'),
});

const ResourceDefinitionSpec = z.object({
  provider: z
    .string()
    .max(40)
    .regex(providerPattern)
    .describe('Name of the provider that owns the type.')
    .meta(immutable),
  resource: z
    .string()
    .max(63)
    .regex(typePattern)
    .describe('Name of the resource type.')
    .meta(immutable),
  ...content,
  tags: z
    .array(z.string().min(1).max(256))
    .max(64)
    .optional()
    .describe('Keywords for finding the type.')
    .meta({ 'x-kubernetes-list-type': 'set' }),
  providerVersion: providerVersion
    .optional()
    .describe(
      'Version of the provider whose definition this is. It is in force while that version serves events; always, when absent.',
    ),
  retired: Retired.optional().describe(
    'Present when the version that serves events lacks the type.',
  ),
  next: Next.optional().describe(
    'Definition of the version that is being deployed. It is in force from the moment at which that version serves events.',
  ),
});

const ResourceDefinitionStatus = z.object({
  hash: z.string().max(64).optional().describe('Hash of the schema.'),
  conditions: Conditions.optional(),
});

export const ResourceDefinition = defineKind({
  kind: 'ResourceDefinition',
  plural: 'resourcedefinitions',
  singular: 'resourcedefinition',
  shortNames: ['flrd'],
  namespaced: true,
  longestName: 104,
  description: 'A resource type that a provider registered in an organization.',
  spec: ResourceDefinitionSpec,
  status: ResourceDefinitionStatus,
  columns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Type', type: 'string', jsonPath: '.spec.resource' },
    { name: 'Version', type: 'string', jsonPath: '.spec.providerVersion' },
    { name: 'Retired', type: 'date', jsonPath: '.spec.retired.at', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Description', type: 'string', jsonPath: '.spec.description', priority: 1 },
  ],
  selectableFields: ['.spec.provider', '.spec.resource'],
  rules: [namedAfter('provider', 'resource')],
});
export type ResourceDefinition = ObjectOf<typeof ResourceDefinition>;
