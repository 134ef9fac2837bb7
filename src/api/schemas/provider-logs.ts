// Defines the query of the log of a provider.
import { z } from 'zod';
import { eventIdPattern } from '../../domain/dead-letter.ts';
import { Version } from './providers.ts';
import { ResourceIdPath } from './resource-address.ts';

const durationPattern = /^([1-9][0-9]{0,6})([smhd])$/;
const secondsIn = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

const ProviderLogsQueryFields = z.object({
  tail: z
    .int()
    .min(0)
    .max(10_000)
    .default(1_000)
    .describe('Number of last lines, of all pods together. Long logs are cut to 1 MiB.'),
  since: z
    .string()
    .refine(
      (text) =>
        durationPattern.test(text) ||
        z.iso.datetime({ offset: true }).safeParse(text.toUpperCase()).success,
      'Input should be a duration such as 10m, or a time in ISO 8601',
    )
    .optional()
    .describe(
      'Only lines since this time (ISO 8601), or from this long ago (`30s`, `10m`, `2h`, `1d`).',
    )
    .meta({ examples: ['10m'] }),
  follow: z.boolean().default(false).describe('Continues with new lines, also of new pods.'),
  resource: ResourceIdPath.shape.resource_id
    .optional()
    .describe(
      'Only lines that handlers wrote with `log` for this resource: `resource:{provider}_{resource}_{name}`, `{provider}:{resource}:{name}` or `{provider}/{resource}/{name}`.',
    ),
  event: z
    .string()
    .regex(eventIdPattern, 'Input should be the id of an event, such as evt-0f8f…')
    .optional()
    .describe('Only lines that handlers wrote with `log` for the event with this id.'),
  version: Version.optional().describe('Only pods of this version.'),
  previous: z
    .boolean()
    .default(false)
    .describe(
      'Reads what pods wrote before the last end of one of their processes, such as a crash, or else before the last restart of their container. Not with `follow`.',
    ),
});
export const ProviderLogsQuery = ProviderLogsQueryFields.refine(
  ({ previous, follow }) => !(previous && follow),
  {
    path: ['previous'],
    message: 'A container before a restart writes nothing more; leave out `previous` or `follow`',
  },
);

/** @param since a duration or a time that the schema accepts */
export function sinceTime(since: string, now: Date): Date {
  const [, count, unit] = durationPattern.exec(since) ?? [];
  if (count === undefined) return new Date(since);
  return new Date(
    now.getTime() - Number(count) * secondsIn[unit as keyof typeof secondsIn] * 1_000,
  );
}
