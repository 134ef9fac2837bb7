// Defines the options of a resource, which are no content.
import { z } from 'zod';
import { deletionPolicies } from '../../domain/resource-options.ts';
import { Timestamp } from './core.ts';

/** Members of an apply; those that it omits stay as they are. */
export const wantedOptions = {
  protected: z
    .boolean()
    .optional()
    .describe(
      'Whether the resource is protected: while it is true, the resource is neither deleted nor replaced.',
    ),
  expires_at: z.iso
    .datetime({ offset: true, error: 'Input should be a time as in RFC 3339, or null' })
    .transform((time) => new Date(time).toISOString())
    .nullable()
    .optional()
    .describe('Time at which the resource is deleted. Null: never. A protected one cannot expire.')
    .meta({ examples: ['2026-02-01T08:00:00Z'] }),
  paused: z
    .boolean()
    .optional()
    .describe('Whether the resource is paused: while it is true, no new event is sent.'),
  deletion_policy: z
    .enum(deletionPolicies)
    .optional()
    .describe('Whether a deletion also deletes what the provider created, or leaves it: `orphan`.'),
};

/** Members of a record. */
export const recordOptions = {
  protected: z
    .boolean()
    .describe('Whether the resource is protected: neither deleted nor replaced.'),
  expires_at: Timestamp.nullable().describe(
    'Time at which the resource is deleted. Null when it does not expire.',
  ),
  paused: z.boolean().describe('Whether the resource is paused: no new event is sent.'),
  deletion_policy: z
    .enum(deletionPolicies)
    .describe('Whether a deletion also deletes what the provider created, or leaves it.'),
};
