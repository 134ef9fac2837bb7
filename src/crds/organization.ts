// Defines Organization: a tenant, identified by its token issuer and id; owns one namespace.
import { z } from 'zod';
import { Conditions } from './conditions.ts';
import { defineKind, immutable, type ObjectOf } from './define.ts';

const optionalAmount = (max: number) => z.int().min(1).max(max).optional();
const quantity = z
  .string()
  .max(16)
  .regex(/^[1-9][0-9]{0,8}(?:Mi|Gi|Ti)$/)
  .optional();

const Limits = z.object({
  pods: optionalAmount(100_000).describe('Maximum number of pods that have not ended.'),
  jobs: optionalAmount(1_000_000).describe(
    'Maximum number of Jobs, including the Jobs of finished builds.',
  ),
  configMaps: optionalAmount(1_000_000).describe(
    'Maximum number of ConfigMaps besides the histories of resources, of which each has at most one. Each dead letter is one ConfigMap.',
  ),
  resources: optionalAmount(10_000_000).describe(
    'Maximum number of Resource objects, including drafts.',
  ),
  resourceBytes: quantity.describe(
    'Maximum total size of all Resource objects as JSON in etcd, such as 128Mi. Replicas hold the objects in memory.',
  ),
  cpu: optionalAmount(1_000_000).describe('Maximum total number of CPUs of all pods.'),
  memory: quantity.describe('Maximum total memory of all pods, such as 200Gi.'),
  ephemeralStorage: quantity.describe(
    'Maximum total ephemeral storage of all pods, such as 500Gi.',
  ),
  internet: z
    .boolean()
    .optional()
    .describe(
      'Whether pods may open connections to the internet. When false, they can connect only to DNS and Fairlead, and uploaded code must contain its dependencies.',
    ),
});

const OrganizationSpec = z.object({
  issuer: z
    .string()
    .min(1)
    .max(2_048)
    .describe('Issuer of the tokens of the organization.')
    .meta(immutable),
  externalId: z
    .string()
    .min(1)
    .max(1_024)
    .describe('Id of the organization in the tokens of the issuer.')
    .meta(immutable),
  displayName: z.string().max(256).optional().describe('Display name shown to people.'),
  suspended: z
    .boolean()
    .optional()
    .describe(
      'Whether the organization is suspended. Fairlead then rejects its requests, sends no events and starts no builds; running pods keep running.',
    ),
  limits: Limits.optional().describe('Limits of the organization that differ from the defaults.'),
});

const OrganizationStatus = z.object({
  namespace: z
    .string()
    .max(63)
    .optional()
    .describe('Namespace that holds all objects of the organization.'),
  namespaceUid: z
    .string()
    .max(64)
    .optional()
    .describe('UID of the namespace. Fairlead does not adopt a namespace with a different UID.'),
  namespaceRequest: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Id of the request that creates the namespace. An annotation with this id identifies the namespace as created by Fairlead.',
    ),
  observedGeneration: z
    .int()
    .optional()
    .describe('Generation of the spec that this status describes.'),
  conditions: Conditions.optional(),
});

export const Organization = defineKind({
  kind: 'Organization',
  plural: 'organizations',
  singular: 'organization',
  shortNames: ['florg'],
  namespaced: false,
  description: 'A tenant. Its name is the name of its namespace.',
  spec: OrganizationSpec,
  status: OrganizationStatus,
  columns: [
    { name: 'Organization', type: 'string', jsonPath: '.spec.externalId' },
    { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
    { name: 'Reason', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].reason" },
    {
      name: 'Suspended',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='Suspended')].status",
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Issuer', type: 'string', jsonPath: '.spec.issuer', priority: 1 },
    {
      name: 'Message',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='Ready')].message",
      priority: 1,
    },
  ],
  selectableFields: ['.spec.externalId'],
  rules: [
    {
      rule: "self.metadata.name.matches('^fl-[a-z0-9]([-a-z0-9]*[a-z0-9])?-[0-9a-f]{12}$')",
      message:
        'must be the name of the namespace: fl-, a slug of externalId, a dash, and 12 hex digits',
      fieldPath: '.metadata.name',
    },
  ],
});
export type Organization = ObjectOf<typeof Organization>;
