// Defines Build: one upload of provider code and its way to an artifact.
import { z } from 'zod';
import { providerPattern, typePattern } from '../domain/identity.ts';
import { Conditions } from './conditions.ts';
import { dateTime, defineKind, freeForm, immutable, type ObjectOf } from './define.ts';

const Blob = z.object({
  digest: z
    .string()
    .max(71)
    .regex(/^sha256:[0-9a-f]{64}$/)
    .describe('sha256 of the bytes.'),
  size: z.int().min(0).describe('Bytes.'),
});

const BuildSpec = z.object({
  provider: z
    .string()
    .max(40)
    .regex(providerPattern)
    .describe('Provider the code is for.')
    .meta(immutable),
  version: z
    .string()
    .max(15)
    .regex(/^[0-9]{8}\.[0-9]{6}$/)
    .describe('Version the build makes, YYYYMMDD.HHMMSS.')
    .meta(immutable),
  source: Blob.describe('The uploaded archive.').meta(immutable),
});

const BuildStatus = z.object({
  observedGeneration: z.int().optional().describe('Generation of the spec this status speaks of.'),
  phase: z.enum(['pending', 'building', 'success', 'failed']).describe('How far the build is.'),
  jobName: z.string().max(63).optional().describe('Job that builds.'),
  error: z.string().max(4_096).optional().describe('Why the build failed.'),
  artifact: Blob.optional().describe('What the build made.'),
  types: z
    .array(
      z.object({
        resource: z.string().max(63).regex(typePattern).describe('Name of the type.'),
        description: z.string().max(4_096).describe('What the type is for.'),
        schema: freeForm('JSON Schema of the config.').optional(),
      }),
    )
    .max(100)
    .optional()
    .describe('Resource types the built code defines.'),
  log: z.string().max(253).optional().describe('Where the log is kept.'),
  startedAt: dateTime.optional().describe('When the build began to run.'),
  finishedAt: dateTime.optional().describe('When the build ended.'),
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
