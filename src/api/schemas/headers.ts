// Defines the headers of requests, as far as the documentation of an operation lists them.
import { z } from 'zod';

// A proxy that compresses makes a tag weak; it still names the same version.
const tag = String.raw`(?:W\/)?"[\x21\x23-\x7e]*"`;
const tags = new RegExp(String.raw`^(?:\*|${tag}(?:[ \t]*,[ \t]*${tag})*)$`);

/** The condition of a change or a deletion. */
export const IfMatch = z
  .string()
  .regex(tags, 'Input should be * or entity tags such as "xyzzy"')
  .optional()
  .describe(
    'ETags of the resource, with commas between them. Another version is not changed (412). `*` requires that the resource exists.',
  );

/** The condition of an apply that only creates. */
export const IfNoneMatch = z
  .literal('*')
  .optional()
  .describe('With `*`, an existing resource is not changed (412).');

export const LastEventId = z
  .string()
  .optional()
  .describe('With `Accept: text/event-stream`: the `id` of the last event of an earlier stream.')
  .meta({ examples: ['184467'] });
export const PreferWait = z
  .string()
  .optional()
  .describe(
    '`wait=N` answers when nothing is under way for the resource any more, after N seconds at most; N is at most 60. The answer has `Preference-Applied` if the service has waited.',
  )
  .meta({ examples: ['wait=30'] });
