// Defines the requests and responses for permanent failures: dead letters and orphan receipts.
import { z } from 'zod';
import { eventTypes } from '../../domain/event.ts';
import { eventIdPattern } from '../../store/dead-letters/object.ts';
import { receiptReasons } from '../../store/dead-letters/orphan-receipt-object.ts';
import { ProjectId, ProviderName, Timestamp } from './core.ts';

const EventId = z
  .string()
  .regex(eventIdPattern)
  .describe('Identifier of the event, the same for every attempt and every retry.')
  .meta({ examples: ['evt-0123456789abcdef0123456789abcdef'] });
const Cause = z
  .string()
  .describe('Fingerprint of the failure: equal for events that one repair probably helps.')
  .meta({ examples: ['0f1e2d3c4b5a'] });
const Count = z.int().min(0);
const anything = z.unknown();

/** Opaque: an invalid id names no event. */
export const EventPath = z.object({
  event_id: z
    .string()
    .describe('Identifier of the event.')
    .meta({ examples: ['evt-0123456789abcdef0123456789abcdef'] }),
});

export const ListDeadLetters = z.object({
  provider: ProviderName.optional(),
  group_by: z
    .literal('error')
    .optional()
    .describe('`error`: what failed for the same reason as one, instead of the events.'),
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('At most this many, with a `Link` header when there are more.'),
  cursor: z.string().max(1_024).optional().describe('From the `Link` header of the page before.'),
});

export const RetryAllDeadLetters = z.object({ provider: ProviderName.optional() });

export const DeleteDeadLetters = z.object({
  all: z
    .boolean()
    .optional()
    .describe('`true`: of every provider. Together with `provider`, only of that one.'),
  provider: ProviderName.optional(),
});

export const DeadLetter = z
  .object({
    event_id: EventId,
    id: EventId.describe('The same as `event_id`.'),
    provider: ProviderName,
    resource_type: z.string(),
    resource_name: z.string(),
    event_type: z.enum(eventTypes),
    error_code: z.string().describe('What went wrong, in one word of the provider or of Fairlead.'),
    error_message: z.string().describe('At most 4 KiB, with secrets masked.'),
    attempt_count: Count,
    failed_at: Timestamp,
    payload: z
      .record(z.string(), z.unknown())
      .describe(
        'What the provider was sent, with secrets masked; a config that is too large is left out.',
      ),
    organization_id: z.string(),
    project_id: z.string(),
    superseded: z
      .boolean()
      .describe('The resource was applied again or deleted since, or the event runs again.'),
    cause: Cause,
  })
  .meta({
    examples: [
      {
        event_id: 'evt-0123456789abcdef0123456789abcdef',
        id: 'evt-0123456789abcdef0123456789abcdef',
        provider: 'postgres',
        resource_type: 'database',
        resource_name: 'orders',
        event_type: 'CREATE',
        error_code: 'CONNECTION_REFUSED',
        error_message: 'CONNECTION_REFUSED: connect ECONNREFUSED 127.0.0.1:5432',
        attempt_count: 5,
        failed_at: '2026-01-31T12:00:00.000Z',
        payload: { name: 'orders', config: { connectionLimit: 20, password: '[masked]' } },
        organization_id: 'acme',
        project_id: 'default-0f1e2d3c4b5a',
        superseded: false,
        cause: '0f1e2d3c4b5a',
      },
    ],
  });

export const DeadLetterCause = z.object({
  provider: ProviderName,
  cause: Cause,
  error_code: z.string(),
  error_message: z.string().describe('The text that they share, with words in `<>` for the rest.'),
  count: Count,
  superseded: Count.describe('How many of them need no retry any more.'),
  oldest_failed_at: Timestamp,
  newest_failed_at: Timestamp,
  examples: z.array(EventId).describe('Up to three of them, those that failed first.'),
});

export const DeadLettersOrCauses = z.union([z.array(DeadLetter), z.array(DeadLetterCause)]);

export const Retried = z.object({
  retried: Count.describe('How many events are accepted to be sent again, and were not before.'),
  retried_count: Count.describe('The same as `retried`.'),
});

export const Deleted = z.object({
  deleted: Count.describe('How many events were deleted.'),
  deleted_count: Count.describe('The same as `deleted`.'),
});

export const ReceiptPath = z.object({
  id: z
    .string()
    .describe('Identifier of the receipt.')
    .meta({ examples: ['receipt-6a1c1f0e-7f0b-4c8e-9a53-0b2b7b0e1d2f'] }),
});

export const Receipt = z.object({
  id: z.string(),
  provider: ProviderName,
  resource_type: z.string(),
  resource_name: z.string(),
  project_id: ProjectId,
  organization_id: z.string(),
  reason: z
    .enum(receiptReasons)
    .describe('Why the resource was let go without its provider having cleaned up.'),
  error: z.string().nullable().describe('Why the provider did not, when it was asked to.'),
  event_id: z.string().nullable().describe('The last event of the resource.'),
  config: anything.describe('As it was declared, with secrets masked.'),
  outputs: anything.describe(
    'What of the outputs identifies what may remain outside: ids, names, hosts, ports, regions and the origins of URLs. Every other value is `[masked]`; null when it was too large to keep.',
  ),
  omitted: z.array(z.string()).describe('What was too large to keep.'),
  created_at: Timestamp,
});
export const Receipts = z.array(Receipt);
