// Defines the event that a Resource has claimed: what is sent to its provider, and what its attempts left.
import { z } from 'zod';
import { eventTypes } from '../domain/event.ts';
import { maxProgressMessageLength } from '../domain/progress/value.ts';
import { dateTime, freeForm } from './define.ts';
import { typeVersion } from './type-versions.ts';

/** As many as a retry policy permits attempts at most. */
export const maxAttemptErrors = 20;
export const maxAttemptErrorLength = 200;

const AttemptError = z.object({
  attempt: z.int().describe('Number of the attempt.'),
  error: z.string().max(maxAttemptErrorLength).describe('Beginning of its error message.'),
  failedAt: dateTime.describe('Time at which it failed.'),
});

const Progress = z.object({
  done: z.number().min(0).optional().describe('How much is done.'),
  total: z.number().min(0).optional().describe('Of how much. Absent when that is unknown.'),
  message: z
    .string()
    .max(maxProgressMessageLength)
    .optional()
    .describe('What the provider says about it. Secrets are masked.'),
});

export const ClaimedEvent = z.object({
  id: z.string().max(64).describe('Identifier of the event, which is also its idempotency key.'),
  type: z.enum(eventTypes).describe('Operation that the event requests from the provider.'),
  generation: z.int().describe('Generation of the spec for which the event was created.'),
  content: z.string().max(64).describe('Hash of the content for which the event was created.'),
  declared: z.string().max(64).describe('Hash of that content without the retry counter.'),
  typeVersion: typeVersion
    .optional()
    .describe('Version of the type by whose schema the config is read; 1 when absent.'),
  replacement: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Present when the event belongs to a replacement: the value of spec.replace that requested it. Its DELETE removes the old object, its CREATE makes the new one.',
    ),
  createAttempted: z
    .boolean()
    .optional()
    .describe(
      'Present on the OBSERVE of an import when a CREATE was claimed before it. Something of that may exist, so a deletion sends a DELETE.',
    ),
  attempt: z.int().describe('Number of the current or next attempt, starting at 1.'),
  sequence: z
    .int()
    .min(0)
    .describe('Number of the current or next delivery. It grows with each of them.'),
  startedAt: dateTime.describe('Time at which the event was claimed.'),
  nextAttemptAt: dateTime.optional().describe('Earliest time of the next call to the provider.'),
  begunAt: dateTime
    .optional()
    .describe(
      'Time at which the last delivery began that had to wait for something, or that another process sent again.',
    ),
  acceptedAt: dateTime
    .optional()
    .describe(
      'Time at which the provider first answered 202, or last refused its settings since: the limit of the operation counts from it. Absent before 202, and after the operation has ended.',
    ),
  context: freeForm(
    'Context that the provider returned with 202. Fairlead sends it with the next call.',
  ).optional(),
  crash: z
    .enum(['Suspect', 'Culprit'])
    .optional()
    .describe(
      'Present after the process of the provider ended during a delivery of the event. Suspect: others were in it as well. Culprit: the event ended it. The event runs in a process of its own.',
    ),
  hold: z
    .object({
      since: dateTime.describe('Time of the first of these answers in a row.'),
      scope: z
        .enum(['Resource', 'Provider'])
        .describe('Provider: no event of the provider is sent until nextAttemptAt.'),
    })
    .optional()
    .describe(
      'Present after the provider asked to wait (429 with Retry-After). Absent after any other answer.',
    ),
  skewedAt: dateTime
    .optional()
    .describe(
      'Time of the first of the answers in a row that blame a clock (clock_skew). Absent after any other answer. Attempts are not counted for ten minutes from it.',
    ),
  cancellation: z
    .enum(['Requested', 'Failed'])
    .optional()
    .describe(
      'Present when a deletion has found an operation whose type can be cancelled. Requested: the provider is asked to end the operation. Failed: it did not, and the operation is polled to its end.',
    ),
  requeued: z
    .int()
    .optional()
    .describe('Number of times the event was requeued after a permanent failure.'),
  errors: z
    .array(AttemptError)
    .max(maxAttemptErrors)
    .optional()
    .describe('Errors of the attempts that failed so far. Absent after a success.'),
  progress: Progress.optional().describe(
    'Progress that the provider last reported. Absent when it reports none, and after the attempt.',
  ),
});
export type ClaimedEvent = z.output<typeof ClaimedEvent>;
export type AttemptError = z.output<typeof AttemptError>;
