// Defines Provider: the version of a provider that runs, or the address of one that Fairlead does not host.
import { z } from 'zod';
import { providerPattern } from '../domain/identity.ts';
import { versionPattern } from '../domain/providers/build.ts';
import {
  type Amounts,
  containerMax,
  cpuPattern,
  defaultAmounts,
  memoryPattern,
  replicasRange,
} from '../domain/providers/pod-resources.ts';
import { Conditions } from './conditions.ts';
import { cel, dateTime, defineKind, freeForm, immutable, type ObjectOf } from './define.ts';
import { concurrency } from './type-options.ts';

/** Keeps a provider that Fairlead runs until its last resource is gone, because it deletes them. */
export const providerFinalizer = 'fairlead.dev/resources';

const Settings = z.object({
  secret: z.string().max(253).describe('Name of the Secret with the values.'),
  revision: z.string().max(63).describe('Changes with every write of the settings.'),
  values: freeForm('Values of the settings that are not sensitive.'),
  entries: z
    .array(
      z.object({
        name: z.string().max(63).describe('Name of the setting.'),
        sensitive: z.boolean().describe('Whether the value is only in the Secret.'),
        setAt: dateTime.describe('Time at which the value was set.'),
        setBy: z.string().max(1_024).describe('Subject that set the value.'),
        setByName: z
          .string()
          .max(1_024)
          .optional()
          .describe('Name of that subject, after a hash of both. Another hash hides it.'),
      }),
    )
    .max(200)
    .describe('Settings that have a value.')
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
});

const amounts = (of: string) =>
  z.object({
    cpu: z.string().max(8).regex(cpuPattern).optional().describe(`CPUs, such as 500m: ${of}.`),
    memory: z
      .string()
      .max(9)
      .regex(memoryPattern)
      .optional()
      .describe(`Memory, such as 256Mi: ${of}.`),
  });

const amountRules = (['cpu', 'memory'] satisfies (keyof Amounts)[]).flatMap((name) => {
  const standard = defaultAmounts.limits[name];
  const limit = `(has(self.limits) && has(self.limits.${name}) ? self.limits.${name} : '${standard}')`;
  const request = `self.requests.${name}`;
  return [
    {
      rule: `quantity(${limit}).compareTo(quantity('${containerMax[name]}')) <= 0`,
      message: `limits.${name} must be at most ${containerMax[name]}; set more replicas instead`,
    },
    {
      rule: `!has(self.requests) || !has(${request}) || quantity(${request}).compareTo(quantity(${limit})) <= 0`,
      message: `requests.${name} must be at most limits.${name}, which is ${standard} by default`,
    },
  ];
});

const Resources = z
  .object({
    requests: amounts('what a node must have free')
      .optional()
      .describe('What is reserved for a pod. An autoscaler compares its use of CPU with it.'),
    limits: amounts('what a pod can use').optional().describe('What a pod can use at most.'),
  })
  .meta(cel(...amountRules));

const ProviderSpec = z
  .object({
    provider: z
      .string()
      .max(40)
      .regex(providerPattern)
      .describe('Name of the provider.')
      .meta(immutable),
    version: z
      .string()
      .regex(versionPattern)
      .max(15)
      .optional()
      .describe('Build version to run, in the format YYYYMMDD.HHMMSS.'),
    settings: Settings.optional().describe(
      'Record of the settings, written by the API. The values are in a Secret of the provider.',
    ),
    settingsSecret: z
      .string()
      .min(1)
      .max(253)
      .regex(/^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/)
      .optional()
      .describe(
        'Name of a Secret in the namespace with the settings, one key for each, that Fairlead does not write. Only cluster administrators set it.',
      ),
    replicas: z
      .int()
      .optional()
      .describe('Desired number of pods, 1 to 10. A deploy without a number keeps it.')
      .meta({
        // The subresource `scale` shows 0 for an absent number, and a HorizontalPodAutoscaler does nothing at 0.
        default: replicasRange.min,
        ...cel({
          rule: `self >= ${replicasRange.min} && self <= ${replicasRange.max}`,
          message: `must be ${replicasRange.min} to ${replicasRange.max}; with 0 pods events would wait, deletions among them, and nothing would start a pod for them`,
        }),
      }),
    resources: Resources.optional().describe(
      'CPU and memory of the container that serves events. By default it requests 50m and 64Mi, within limits of 1 and 512Mi.',
    ),
    endpoint: z
      .string()
      .max(2_048)
      .regex(/^https?:\/\/.+$/)
      .optional()
      .describe('URL of a provider that runs elsewhere. Only cluster administrators set it.')
      .meta(
        cel({
          rule: "isURL(self) && url(self).getHostname() != '' && !self.contains('@') && !self.contains('#')",
          message:
            'must be an http or https URL with a host, without credentials and without a fragment',
          // Not "invalid value", which would repeat the credentials.
          reason: 'FieldValueForbidden',
        }),
      ),
    caBundle: z
      .string()
      .max(65_536)
      .regex(/^[A-Za-z0-9+/]+=*$/)
      .optional()
      .describe(
        'Certificates of the authorities that sign the certificate of the endpoint, as PEM in Base64. Defaults to the public ones. Only cluster administrators set it.',
      ),
    correctionsReleased: dateTime
      .optional()
      .describe(
        'Releases held corrections: lastTransitionTime of the condition CorrectionsHeld that it ends. Objects that differed before are corrected, however many they are.',
      ),
  })
  .meta(
    cel(
      {
        rule: '!has(self.endpoint) || !has(self.version)',
        message:
          'endpoint and version exclude each other: a provider runs elsewhere or is run by Fairlead',
      },
      {
        rule: "!has(self.caBundle) || (has(self.endpoint) && self.endpoint.startsWith('https://'))",
        message: 'caBundle requires an endpoint that begins with https://',
      },
    ),
  );

const ProviderStatus = z.object({
  observedGeneration: z
    .int()
    .optional()
    .describe('Generation of the spec that this status describes.'),
  deployedVersion: z.string().max(15).optional().describe('Version that currently serves events.'),
  deployedAt: dateTime
    .optional()
    .describe('Time at which the deployed version started to serve events.'),
  previousVersion: z
    .string()
    .max(15)
    .optional()
    .describe('Version that served events before the deployed one. A rollback deploys it.'),
  concurrency: concurrency
    .optional()
    .describe(
      'Events of the provider that are delivered at a time, as the deployed version declares. No limit of its own when absent.',
    ),
  certificateExpiresAt: dateTime
    .optional()
    .describe('Expiry of the certificate with which the pods serve events.'),
  replicas: z.int().optional().describe('Number of pods.'),
  readyReplicas: z.int().optional().describe('Number of pods that are ready to receive events.'),
  selector: z
    .string()
    .max(253)
    .optional()
    .describe('Label selector of the pods, for the subresource scale.'),
  availableReplicas: z
    .int()
    .optional()
    .describe('Number of pods that have been ready for the minimum ready time.'),
  conditions: Conditions.optional(),
});

export const Provider = defineKind({
  kind: 'Provider',
  plural: 'providers',
  singular: 'provider',
  shortNames: ['flprov'],
  namespaced: true,
  description: 'Code that makes resources real, run by Fairlead or elsewhere.',
  spec: ProviderSpec,
  status: ProviderStatus,
  columns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Version', type: 'string', jsonPath: '.status.deployedVersion' },
    { name: 'Ready', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].status" },
    { name: 'Reason', type: 'string', jsonPath: ".status.conditions[?(@.type=='Ready')].reason" },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Endpoint', type: 'string', jsonPath: '.spec.endpoint', priority: 1 },
    {
      name: 'Certificate until',
      type: 'string',
      jsonPath: '.status.certificateExpiresAt',
      priority: 1,
    },
    {
      name: 'Message',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='Ready')].message",
      priority: 1,
    },
  ],
  selectableFields: ['.spec.provider'],
  scale: {
    spec: '.spec.replicas',
    status: '.status.replicas',
    labelSelector: '.status.selector',
  },
  rules: [
    {
      rule: 'self.metadata.name == self.spec.provider',
      message: 'must be the same as spec.provider',
      fieldPath: '.metadata.name',
    },
  ],
});
export type Provider = ObjectOf<typeof Provider>;
