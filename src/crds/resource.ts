// Defines Resource: the desired state of one thing, and the progress of its provider.
import { z } from 'zod';
import { eventTypes } from '../domain/event.ts';
import { namePattern, providerPattern, typePattern } from '../domain/identity.ts';
import { storedStates } from '../domain/lifecycle.ts';
import { Conditions } from './conditions.ts';
import {
  type CelRule,
  cel,
  dateTime,
  defineKind,
  freeForm,
  immutable,
  type ObjectOf,
} from './define.ts';
import { namedAfter } from './naming.ts';

export const resourceFinalizer = 'fairlead.dev/provider-cleanup';

const provider = z.string().max(40).regex(providerPattern);
const type = z.string().max(63).regex(typePattern);
const name = z.string().max(200).regex(namePattern);

const DependencyRef = z.object({
  provider: provider.describe('Provider of the resource this one depends on.'),
  resource: type.describe('Type of the resource this one depends on.'),
  name: name.describe('Name of the resource this one depends on.'),
});

const ResourceSpecFields = z.object({
  provider: provider.describe('Provider that owns the type of this resource.').meta(immutable),
  resource: type.describe('Resource type within the provider.').meta(immutable),
  name: name.describe('Name of the resource within its type.').meta(immutable),
  project: z.string().min(1).max(63).describe('Project the resource belongs to.').meta(immutable),
  lifecycle: z
    .enum(['Draft', 'Committed'])
    .default('Draft')
    .describe('Draft: stored only. Committed: validated and handed to the provider.')
    .meta(
      cel({
        rule: "!(oldSelf == 'Committed' && self == 'Draft')",
        message: 'a committed resource cannot become a draft again; delete it instead',
        reason: 'FieldValueForbidden',
      }),
    ),
  config: freeForm('Configuration, as the schema of the type defines it.'),
  tags: z
    .array(z.string().min(1).max(256))
    .max(64)
    .optional()
    .describe('Words to filter lists by. Changing them causes no event.')
    .meta({ 'x-kubernetes-list-type': 'set' }),
  dependencies: z
    .array(DependencyRef)
    .max(64)
    .optional()
    .describe('Resources that must be ready before this one is processed.')
    .meta({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['provider', 'resource', 'name'],
    }),
  deletionPolicy: z
    .enum(['Delete', 'Orphan'])
    .optional()
    .describe('Delete (default): the provider tears down what it made. Orphan: it stays as it is.'),
  paused: z.boolean().optional().describe('True: no new event is sent until it is false again.'),
  retry: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Raised to have the resource processed again: after a failure, or when an output it uses changed.',
    )
    .meta(cel({ rule: 'self >= oldSelf', message: 'can only be raised' })),
});
const ResourceSpec = ResourceSpecFields.meta(
  cel({
    rule: [
      '!has(self.dependencies) || self.dependencies.all(each,',
      'each.provider != self.provider || each.resource != self.resource || each.name != self.name)',
    ].join(' '),
    message: 'a resource cannot depend on itself',
    fieldPath: '.dependencies',
  }),
);

export const ClaimedEvent = z.object({
  id: z.string().max(64).describe('Identity of the event and its idempotency key.'),
  type: z.enum(eventTypes).describe('What the provider is asked to do.'),
  generation: z.int().describe('Generation of the spec the event was made from.'),
  content: z.string().max(64).describe('Hash of the content the event was made from.'),
  attempt: z.int().describe('Number of the attempt that runs or comes next, from 1.'),
  sequence: z
    .int()
    .min(0)
    .optional()
    .describe('Number of the delivery that runs or comes next; it only grows.'),
  startedAt: dateTime.describe('When the event was claimed.'),
  nextAttemptAt: dateTime.optional().describe('Not before this time is the provider asked again.'),
  acceptedAt: dateTime
    .optional()
    .describe('When the provider first answered 202; absent before, and once the operation ended.'),
  context: freeForm('What the provider gave to be handed back with the next call.').optional(),
  requeued: z
    .int()
    .optional()
    .describe('How often the event was begun again after it had failed for good.'),
});

const ResourceStatus = z.object({
  state: z.enum(storedStates).describe('Lifecycle state.'),
  reason: z.string().max(64).describe('Why the resource is in this state, in one word.'),
  observedGeneration: z.int().describe('Generation of the spec this status speaks of.'),
  content: z.string().max(64).optional().describe('Hash of the content this status speaks of.'),
  outputs: freeForm('What the provider produced.').optional(),
  error: z.string().max(4_096).optional().describe('The recorded failure.'),
  event: ClaimedEvent.optional().describe(
    'The last event that was claimed. Written before the provider is called.',
  ),
  appliedConfig: freeForm('Configuration of the last success; absent before it.').optional(),
  providerVersion: z
    .string()
    .max(63)
    .optional()
    .describe(
      'Version of the provider that answered with the last success; absent for one that runs elsewhere.',
    ),
  references: z
    .string()
    .max(64)
    .optional()
    .describe('Hash of the outputs of others that the last event was made from.'),
  updatedAt: dateTime.optional().describe('When the state last changed.'),
  conditions: Conditions.optional(),
});

const contentStaysInFlight: CelRule = {
  rule: [
    "!has(oldSelf.status) || !(oldSelf.status.state in ['pending', 'processing']) ||",
    '(self.spec.config == oldSelf.spec.config && self.spec.lifecycle == oldSelf.spec.lifecycle &&',
    'has(self.spec.dependencies) == has(oldSelf.spec.dependencies) &&',
    '(!has(self.spec.dependencies) || self.spec.dependencies == oldSelf.spec.dependencies) &&',
    'self.spec.?retry.orValue(0) == oldSelf.spec.?retry.orValue(0))',
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
  description: 'One thing an organization wants to exist, made real by a provider.',
  spec: ResourceSpec,
  status: ResourceStatus,
  columns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Type', type: 'string', jsonPath: '.spec.resource' },
    { name: 'Resource', type: 'string', jsonPath: '.spec.name' },
    { name: 'State', type: 'string', jsonPath: '.status.state' },
    { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
    { name: 'Reason', type: 'string', jsonPath: '.status.reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Project', type: 'string', jsonPath: '.spec.project', priority: 1 },
    { name: 'Version', type: 'string', jsonPath: '.status.providerVersion', priority: 1 },
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
    '.status.state',
  ],
  rules: [
    namedAfter({ key: "self.spec.provider + '_' + self.spec.resource + '_' + self.spec.name" }),
    contentStaysInFlight,
  ],
});
export type Resource = ObjectOf<typeof Resource>;
export type ResourceSpec = z.output<typeof ResourceSpec>;
export type ResourceStatus = z.output<typeof ResourceStatus>;
export type ClaimedEvent = z.output<typeof ClaimedEvent>;
