// Defines Build: one upload of provider code and its way to an artifact.
import { z } from 'zod';
import { providerPattern, typePattern } from '../domain/identity.ts';
import { versionPattern } from '../domain/providers/build.ts';
import { Conditions } from './conditions.ts';
import { dateTime, defineKind, freeForm, immutable, type ObjectOf } from './define.ts';
import { fieldOrder } from './field-order.ts';
import { concurrency, typeOptions } from './type-options.ts';
import { typeVersions } from './type-versions.ts';

const Blob = z.object({
  digest: z
    .string()
    .max(71)
    .regex(/^sha256:[0-9a-f]{64}$/)
    .describe('SHA-256 digest of the archive.'),
  size: z.int().min(0).describe('Size of the archive in bytes.'),
});

const BuildSpec = z.object({
  provider: z
    .string()
    .max(40)
    .regex(providerPattern)
    .describe('Name of the provider that the code implements.')
    .meta(immutable),
  version: z
    .string()
    .max(15)
    .regex(versionPattern)
    .describe('Version that the build produces, in the format YYYYMMDD.HHMMSS.')
    .meta(immutable),
  source: Blob.describe('Uploaded archive with the code of the provider.').meta(immutable),
});

const BuildStatus = z.object({
  observedGeneration: z
    .int()
    .optional()
    .describe('Generation of the spec that this status describes.'),
  phase: z
    .enum(['pending', 'building', 'success', 'failed'])
    .describe('Current phase of the build.'),
  jobName: z.string().max(63).optional().describe('Name of the Job that runs the build.'),
  error: z.string().max(4_096).optional().describe('Error message of a failed build.'),
  artifact: Blob.optional().describe('Artifact that the build produced.'),
  types: z
    .array(
      z.object({
        resource: z.string().max(63).regex(typePattern).describe('Name of the resource type.'),
        description: z.string().max(4_096).describe('Description of the resource type.'),
        schema: freeForm(
          'JSON Schema that the config of a resource must satisfy. Any object is valid when absent.',
        ).optional(),
        fieldOrder,
        ...typeVersions,
        ...typeOptions,
      }),
    )
    .max(100)
    .optional()
    .describe('Resource types that the built code defines.'),
  settings: freeForm(
    'JSON Schema of the settings that the built code declares. It declares none when absent.',
  ).optional(),
  concurrency: concurrency
    .optional()
    .describe(
      'Events of the provider that are delivered at a time. No limit of its own when absent.',
    ),
  log: z.string().max(253).optional().describe('Digest of the archived build log.'),
  startedAt: dateTime.optional().describe('Time at which the build started.'),
  finishedAt: dateTime.optional().describe('Time at which the build finished.'),
  conditions: Conditions.optional(),
});

export const Build = defineKind({
  kind: 'Build',
  plural: 'builds',
  singular: 'build',
  shortNames: ['flb'],
  namespaced: true,
  description: 'One upload of provider code, built into an artifact.',
  spec: BuildSpec,
  status: BuildStatus,
  columns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.provider' },
    { name: 'Version', type: 'string', jsonPath: '.spec.version' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Error', type: 'string', jsonPath: '.status.error', priority: 1 },
  ],
  selectableFields: ['.spec.provider', '.spec.version'],
});
export type Build = ObjectOf<typeof Build>;
