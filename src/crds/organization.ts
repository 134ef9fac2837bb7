// Defines Organization: a tenant, identified by its token issuer and id; owns one namespace.
import { z } from 'zod';
import { Conditions } from './conditions.ts';
import { defineKind, immutable, type ObjectOf } from './define.ts';

const amount = (max: number) => z.int().min(1).max(max).optional();
const quantity = z
  .string()
  .max(16)
  .regex(/^[1-9][0-9]{0,8}(?:Mi|Gi|Ti)$/)
  .optional();

const Limits = z.object({
  pods: amount(100_000).describe('Pods that have not ended.'),
  jobs: amount(1_000_000).describe('Jobs, those of ended builds among them.'),
  configMaps: amount(1_000_000).describe('ConfigMaps; each dead letter is one.'),
  resources: amount(10_000_000).describe('Resource objects, drafts among them.'),
  resourceBytes: quantity.describe(
    'All Resource objects together, as JSON, such as 128Mi; replicas hold them in memory.',
  ),
  cpu: amount(1_000_000).describe('CPUs of all pods together.'),
  memory: quantity.describe('Memory of all pods together, such as 200Gi.'),
  ephemeralStorage: quantity.describe('Disk of all pods together, such as 500Gi.'),
  internet: z
    .boolean()
    .optional()
    .describe(
      'False: pods reach nothing but DNS and Fairlead; builds then need all they use inside.',
    ),
});

const OrganizationSpec = z.object({
  issuer: z
    .string()
    .min(1)
    .max(2_048)
    .describe('Token issuer that vouches for the organization.')
    .meta(immutable),
  externalId: z
    .string()
    .min(1)
    .max(1_024)
    .describe("The organization's id in tokens of the issuer.")
    .meta(immutable),
  displayName: z.string().max(256).optional().describe('Name for people.'),
  suspended: z
    .boolean()
    .optional()
    .describe('True: every request is refused, and nothing is sent or built; what runs stays.'),
  limits: Limits.optional().describe('How much the organization may use, where not the default.'),
});

const OrganizationStatus = z.object({
  namespace: z
    .string()
    .max(63)
    .optional()
    .describe('Namespace that holds everything of the organization.'),
  namespaceUid: z
    .string()
    .max(64)
    .optional()
    .describe('uid of that namespace; one with another uid is not adopted.'),
  namespaceRequest: z
    .string()
    .max(64)
    .optional()
    .describe(
      'Request under which the namespace is being created; its annotation shows whose it is.',
    ),
  observedGeneration: z.int().optional().describe('Generation of the spec this status speaks of.'),
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
