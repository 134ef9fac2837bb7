// Defines Resource: the desired state of one thing, and the progress of its provider.
import { z } from 'zod';
import {
  defaultProjectPattern,
  longestObjectName,
  namePattern,
  providerPattern,
  typePattern,
} from '../domain/identity.ts';
import { storedStates } from '../domain/lifecycle.ts';
import { resourceOptionRules } from '../domain/resource-option-rules.ts';
import { resourceOptionFields } from '../domain/resource-options.ts';
import { ClaimedEvent } from './claimed-event.ts';
import { Conditions } from './conditions.ts';
import {
  type CelRule,
  cel,
  dateTime,
  declaredWhole,
  defineKind,
  freeForm,
  immutable,
  type ObjectOf,
} from './define.ts';
import { storedShape } from './fields.ts';
import { namedAfter } from './naming.ts';
import { observedStatus } from './observation.ts';
import { typeVersion } from './type-versions.ts';

export const resourceFinalizer = 'fairlead.dev/provider-cleanup';

const provider = z.string().max(40).regex(providerPattern);
const type = z.string().max(63).regex(typePattern);
const name = z.string().max(200).regex(namePattern);

const DependencyRef = z.object({
  provider: provider.describe('Provider of the resource that this resource depends on.'),
  resource: type.describe('Type of the resource that this resource depends on.'),
  name: name.describe('Name of the resource that this resource depends on.'),
});

const ResourceSpecFields = z.object({
  provider: provider.describe('Provider that owns the type of this resource.').meta(immutable),
  resource: type.describe('Resource type within the provider.').meta(immutable),
  name: name.describe('Name of the resource within its type.').meta(immutable),
  project: z
    .string()
    .min(1)
    .max(63)
    .optional()
    .describe(
      'Identifier of the project that the resource belongs to. The default project when absent.',
    )
    .meta(immutable),
  lifecycle: z
    .enum(['Draft', 'Committed'])
    .default('Committed')
    .describe(
      'Lifecycle of the resource. A Draft is only stored; a Committed resource is validated and sent to its provider.',
    )
    .meta(
      cel({
        rule: "!(oldSelf == 'Committed' && self == 'Draft')",
        message: 'a committed resource cannot become a draft again; delete it instead',
        reason: 'FieldValueForbidden',
      }),
    ),
  config: declaredWhole('Configuration of the resource, as defined by the schema of its type.'),
  typeVersion: typeVersion
    .optional()
    .describe(
      'Version of the type by whose schema the config is read. Without it, the newest that the config fits when the provider first gets it.',
    ),
  tags: z
    .array(z.string().min(1).max(256))
    .max(64)
    .optional()
    .describe('Keywords for filtering lists. Changing them causes no event.')
    .meta({ 'x-kubernetes-list-type': 'set' }),
  dependencies: z
    .array(DependencyRef)
    .max(64)
    .optional()
    .describe('Resources that must be ready before this resource is processed.')
    .meta({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['provider', 'resource', 'name'],
    }),
  ...storedShape(resourceOptionFields, resourceOptionRules),
  retry: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Retry counter. Raising it requests new processing, after a failure or when a referenced output has changed.',
    )
    .meta(cel({ rule: 'self >= oldSelf', message: 'can only be raised' })),
  replace: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Replacement counter. Raising it requests that the provider deletes what it created, and creates it again with the present config.',
    )
    .meta(cel({ rule: 'self >= oldSelf', message: 'can only be raised' })),
  adopt: declaredWhole(
    'What identifies an existing object, as the type defines it. The first event of the resource is then an OBSERVE, which changes nothing.',
  ).optional(),
});
const ResourceSpec = ResourceSpecFields.meta(
  cel(
    {
      rule: [
        '!has(self.dependencies) || self.dependencies.all(each,',
        'each.name != self.name || each.resource != self.resource || each.provider != self.provider)',
      ].join(' '),
      message: 'a resource cannot depend on itself',
      fieldPath: '.dependencies',
    },
    {
      rule: '!has(self.expiresAt) || !self.?protected.orValue(false)',
      message: 'a protected resource cannot expire; remove expiresAt, or set protected to false',
      fieldPath: '.expiresAt',
    },
    {
      rule: '!self.?protected.orValue(false) || self.?replace.orValue(0) == oldSelf.?replace.orValue(0)',
      message: 'a protected resource cannot be replaced; set protected to false first',
      fieldPath: '.replace',
    },
    {
      // A rule on the field alone is not evaluated when the field is added or removed.
      rule: `has(self.project) == has(oldSelf.project) || (has(self.project) ? self.project.matches('${defaultProjectPattern.source}') : oldSelf.project.matches('${defaultProjectPattern.source}'))`,
      message: 'cannot be changed',
      reason: 'FieldValueForbidden',
      fieldPath: '.project',
    },
  ),
);

const places = z.array(z.string().max(4_096)).max(50).optional();

const ResourceStatus = z.object({
  state: z.enum(storedStates).describe('Lifecycle state of the resource.'),
  reason: z.string().max(64).describe('Reason for the state, as a CamelCase identifier.'),
  observedGeneration: z.int().describe('Generation of the spec that this status describes.'),
  content: z
    .string()
    .max(64)
    .optional()
    .describe('Hash of the content that this status describes.'),
  outputs: freeForm('Outputs that the provider returned.').optional(),
  identity: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Digest of what tells the object apart from others of its type, from the outputs. After a CREATE that found the object of another resource, that of this object.',
    ),
  error: z.string().max(4_096).optional().describe('Error message of the recorded failure.'),
  event: ClaimedEvent.optional().describe(
    'Last event that was claimed. Fairlead writes it before it calls the provider.',
  ),
  appliedConfig: freeForm(
    'Configuration of the last successful event. Absent before the first success.',
  ).optional(),
  appliedTypeVersion: typeVersion
    .optional()
    .describe('Version of the type that the applied configuration has; 1 when absent.'),
  outputsTypeVersion: typeVersion
    .optional()
    .describe('Version of the type that the outputs have; 1 when absent.'),
  appliedSecrets: places.describe(
    'JSON Pointers of the secrets in the applied configuration, by the schema of that time; the empty pointer stands for all of it.',
  ),
  receivedSecrets: places.describe(
    'JSON Pointers of the values in the applied configuration into which a secret output of another resource was inserted; the empty pointer stands for all of it.',
  ),
  outputsSecrets: places.describe(
    'JSON Pointers of the secrets in the outputs, by the schema of that time; the empty pointer stands for all of them.',
  ),
  providerVersion: z
    .string()
    .max(63)
    .optional()
    .describe(
      'Version of the provider that processed the last successful event. Absent when the provider runs elsewhere.',
    ),
  replaced: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Value of spec.replace when the last event was claimed. A replacement is due while spec.replace is above it.',
    ),
  references: z
    .string()
    .max(64)
    .optional()
    .describe('Hash of the outputs of other resources that the last event refers to.'),
  ...observedStatus,
  updatedAt: dateTime.optional().describe('Time at which the state last changed.'),
  conditions: Conditions.optional(),
});

const contentStaysInFlight: CelRule = {
  rule: [
    // A write changes either spec or status, so these two end the evaluation for most status writes: comparing configs costs a
    // third of such a write. Without a status they are errors, which || ignores where another operand is true.
    'self.status.state != oldSelf.status.state ||',
    "!(self.status.state in ['pending', 'processing']) || !has(self.status) || !has(oldSelf.status) ||",
    // A resource that is only observed is pending without an event to come.
    "(self.status.state == 'pending' && self.status.?management.orValue('Managed') == 'Observed') ||",
    '(self.spec.config == oldSelf.spec.config && self.spec.lifecycle == oldSelf.spec.lifecycle &&',
    'has(self.spec.dependencies) == has(oldSelf.spec.dependencies) &&',
    '(!has(self.spec.dependencies) || self.spec.dependencies == oldSelf.spec.dependencies) &&',
    'self.spec.?retry.orValue(0) == oldSelf.spec.?retry.orValue(0) &&',
    'self.spec.?replace.orValue(0) == oldSelf.spec.?replace.orValue(0) &&',
    'self.spec.?typeVersion.orValue(0) == oldSelf.spec.?typeVersion.orValue(0) &&',
    'has(self.spec.adopt) == has(oldSelf.spec.adopt) &&',
    '(!has(self.spec.adopt) || self.spec.adopt == oldSelf.spec.adopt))',
  ].join(' '),
  message: 'the resource is being processed and cannot be modified',
  reason: 'FieldValueForbidden',
  fieldPath: '.spec',
};

export const Resource = defineKind({
  kind: 'Resource',
  plural: 'resources',
  singular: 'resource',
  shortNames: ['flr'],
  namespaced: true,
  longestName: longestObjectName,
  description:
    'An object that an organization declares and a provider creates, updates and deletes.',
  spec: ResourceSpec,
  status: ResourceStatus,
  columns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Type', type: 'string', jsonPath: '.spec.resource' },
    { name: 'Resource', type: 'string', jsonPath: '.spec.name' },
    { name: 'State', type: 'string', jsonPath: '.status.state' },
    { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
    { name: 'Reason', type: 'string', jsonPath: '.status.reason' },
    { name: 'Drift', type: 'string', jsonPath: '.status.drift.kind' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Project', type: 'string', jsonPath: '.spec.project', priority: 1 },
    { name: 'Version', type: 'string', jsonPath: '.status.providerVersion', priority: 1 },
    {
      name: 'Applied-By',
      type: 'string',
      jsonPath: ".metadata.annotations['fairlead\\.dev/applied-by']",
      priority: 1,
    },
    { name: 'Protected', type: 'boolean', jsonPath: '.spec.protected', priority: 1 },
    { name: 'Expires', type: 'string', jsonPath: '.spec.expiresAt', priority: 1 },
    { name: 'Management', type: 'string', jsonPath: '.spec.management', priority: 1 },
    { name: 'Attempt', type: 'integer', jsonPath: '.status.event.attempt', priority: 1 },
    {
      name: 'Message',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='Ready')].message",
      priority: 1,
    },
  ],
  selectableFields: [
    '.spec.provider',
    '.spec.resource',
    '.spec.name',
    '.spec.project',
    '.spec.set',
    '.status.state',
  ],
  rules: [namedAfter('provider', 'resource', 'name'), contentStaysInFlight],
});
export type Resource = ObjectOf<typeof Resource>;
export type ResourceSpec = z.output<typeof ResourceSpec>;
export type ResourceStatus = z.output<typeof ResourceStatus>;
