// Declares the observations of the object of a Resource.
import { z } from 'zod';
import { maxChanges, maxValueBytes } from '../domain/observation/drift.ts';
import { dateTime } from './define.ts';

const jsonText = z.string().max(maxValueBytes);

const Drift = z.object({
  since: dateTime.describe('Time at which the difference was first observed.'),
  kind: z
    .enum(['Changed', 'Gone'])
    .describe('Changed: values of the object differ. Gone: the object does not exist.'),
  changes: z
    .array(
      z.object({
        path: z.string().max(4_096).describe('JSON Pointer of the value in the config.'),
        declared: jsonText
          .optional()
          .describe('Declared value, as JSON. Absent when it is secret or too long.'),
        actual: jsonText
          .optional()
          .describe('Observed value, as JSON. Absent when it is secret or too long.'),
      }),
    )
    .max(maxChanges)
    .describe('Values that differ.'),
  total: z.int().min(0).describe('Number of values that differ.'),
  compared: z.int().min(0).describe('Number of declared values that were compared.'),
  unknown: z.int().min(0).describe('Number of declared values that the provider left out.'),
  correctionsReleased: dateTime
    .optional()
    .describe(
      'Value of spec.correctionsReleased of the Provider when the difference was first observed.',
    ),
});

const Corrections = z.object({
  count: z
    .int()
    .min(0)
    .describe('Number of corrections in a row, after each of which the object differed again.'),
  at: dateTime.describe('Time of the last correction.'),
  generation: z.int().describe('Generation of the spec that the last correction requested.'),
});

const RequestedObservation = z.object({
  request: z
    .string()
    .max(64)
    .describe('Value of the annotation fairlead.dev/observe that requested it.'),
  at: dateTime.describe('Time at which it ended.'),
  exists: z
    .boolean()
    .optional()
    .describe('Whether the object exists. Absent when nothing was observed.'),
  compared: z.int().min(0).describe('Number of declared values that were compared.'),
  unknown: z.int().min(0).describe('Number of declared values that the provider left out.'),
  error: z.string().max(4_096).optional().describe('Why nothing was observed.'),
});

export const observedStatus = {
  drift: Drift.optional().describe(
    'Difference between the applied configuration and the object, as last observed. Absent when they are equal, as far as they were compared.',
  ),
  corrections: Corrections.optional().describe(
    'Corrections of the object that Fairlead began by itself.',
  ),
  observation: RequestedObservation.optional().describe('Last observation that was requested.'),
  management: z
    .enum(['Managed', 'Observed'])
    .optional()
    .describe('Management of the object that this status describes; Managed when absent.'),
};
