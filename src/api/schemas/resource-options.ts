// Defines the options of a resource, which are no content.
import { z } from 'zod';
import { intervalRule } from '../../domain/observation/interval.ts';
import {
  driftActions,
  isValidEvery,
  managements,
  maxIgnored,
  maxIgnoredLength,
} from '../../domain/observation/options.ts';
import { deletionPolicies } from '../../domain/resource-options.ts';
import { Timestamp } from './core.ts';

const every = z
  .string()
  .refine(isValidEvery, { error: `Input should be never, or ${intervalRule}` })
  .nullable()
  .describe(
    'How often the object is observed, from `1m` to `7d`; `never`: only on request. The interval of the type when null.',
  )
  .meta({ examples: ['10m'] });
const ignore = z
  .array(
    z
      .string()
      .max(maxIgnoredLength)
      .regex(/^(?:\/(?:[^~/]|~[01])*)+$/, {
        error: 'Input should be a JSON Pointer of a value in the config, such as /tags',
      }),
  )
  .max(maxIgnored)
  .describe('JSON Pointers of values in the config that are not compared.')
  .meta({ examples: [['/tags']] });
const onDrift = z
  .enum(driftActions)
  .describe(
    'What follows when the object differs from the config: `report`, nothing; `correct`, an event that makes it what the config declares.',
  );
const management = z
  .enum(managements)
  .describe(
    'Management of the object. `managed`: the provider creates, updates and deletes it. `observed`: it is only read.',
  );

const notTime = 'Input should be a time as in RFC 3339, or null';

/** Members of an apply; those that it omits stay as they are. */
export const wantedOptions = {
  protected: z
    .boolean()
    .optional()
    .describe(
      'Whether the resource is protected: while it is true, the resource is neither deleted nor replaced.',
    ),
  expires_at: z
    .string({ error: notTime })
    // RFC 3339 permits small letters.
    .toUpperCase()
    .pipe(z.iso.datetime({ offset: true, error: notTime }))
    .transform((time) => new Date(time).toISOString())
    .nullable()
    .optional()
    .describe('Time at which the resource is deleted. Null: never. A protected one cannot expire.')
    .meta({ format: 'date-time', examples: ['2026-02-01T08:00:00Z'] }),
  paused: z
    .boolean()
    .optional()
    .describe('Whether the resource is paused: while it is true, no new event is sent.'),
  deletion_policy: z
    .enum(deletionPolicies)
    .optional()
    .describe(
      'Whether a deletion also deletes what the provider created, or leaves it: `orphan`. The default is `delete`, and for an import `orphan`.',
    ),
  observe: z
    .strictObject({
      every: every.optional(),
      ignore: ignore.optional(),
      on_drift: onDrift.optional(),
    })
    .nullable()
    .optional()
    .describe(
      'How the object is observed. Replaced as a whole: absent members are the defaults. Null: all of them.',
    ),
  management: management.optional(),
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
  observe: z
    .object({ every, ignore, on_drift: onDrift })
    .describe('How the object is observed, if its type is observable.'),
  management,
};
