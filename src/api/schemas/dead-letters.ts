// Defines the requests and responses for permanent failures: dead letters and orphan receipts.

import { z } from 'zod';
import {
  eventIdPattern,
  receiptKinds,
  receiptReasons,
  redriveCauseStates,
  redriveStates,
} from '../../domain/dead-letter.ts';
import { eventTypes } from '../../domain/event.ts';
import { ProjectId, ProjectName, ProviderName, page, Timestamp } from './core.ts';

const EventId = z
  .string()
  .regex(eventIdPattern, 'Input should be the id of an event, such as evt-0f8f…')
  .describe('Identifier of the event, the same for every attempt and every retry.')
  .meta({ examples: ['evt-0123456789abcdef0123456789abcdef'] });
const Cause = z
  .string()
  .describe('Fingerprint of the failure. Events with the same cause have the same fingerprint.')
  .meta({ examples: ['0f1e2d3c4b5a'] });
const Count = z.int().min(0);
const anything = z.unknown();
const Exists = z
  .boolean()
  .nullable()
  .describe(
    'Whether an object exists, as one observation said after the failure. Null when nothing is known.',
  );

/** Opaque: an invalid id names no event. */
export const EventPath = z.object({
  event_id: z
    .string()
    .describe('Identifier of the event.')
    .meta({ examples: ['evt-0123456789abcdef0123456789abcdef'] }),
});

/** Opaque: an unknown cause selects no event. */
const CauseFilter = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('Cause of the failures, as `group_by=error` and each event show it.')
  .meta({ examples: ['0f1e2d3c4b5a'] });

export const ListDeadLetters = z.object({
  provider: ProviderName.optional(),
  cause: CauseFilter,
  group_by: z.literal('error').optional().describe('With `error`, lists causes instead of events.'),
  ...page,
});

export const RetryAllDeadLetters = z.object({
  provider: ProviderName.optional(),
  cause: CauseFilter,
  dry_run: z
    .boolean()
    .default(false)
    .describe('Counts the events that would be newly accepted, and changes nothing.'),
});

export const DeleteDeadLetters = z.object({
  all: z
    .boolean()
    .optional()
    .describe(
      'Deletes the events of every provider when `true`. With `provider` or `cause`, only the events that match.',
    ),
  provider: ProviderName.optional(),
  cause: CauseFilter,
});

const exampleOfDeadLetter = {
  event_id: 'evt-0123456789abcdef0123456789abcdef',
  id: 'evt-0123456789abcdef0123456789abcdef',
  provider: 'postgres',
  resource_type: 'database',
  resource_name: 'orders',
  event_type: 'CREATE' as const,
  error_code: 'CONNECTION_REFUSED',
  error_message: 'CONNECTION_REFUSED: connect ECONNREFUSED 127.0.0.1:5432',
  exists: false,
  attempt_count: 5,
  failed_at: '2026-01-31T12:00:00.000Z',
  payload: { name: 'orders', config: { connectionLimit: 20, password: '[masked]' } },
  organization_id: 'acme',
  project_id: 'default-0f1e2d3c4b5a',
  superseded: false,
  cause: '0f1e2d3c4b5a',
};

export const DeadLetter = z
  .object({
    event_id: EventId,
    id: EventId.describe('Same as `event_id`.'),
    provider: ProviderName,
    resource_type: z.string(),
    resource_name: z.string(),
    event_type: z.enum(eventTypes),
    error_code: z.string().describe('Error code of the provider or of Fairlead.'),
    error_message: z.string().describe('Error message, at most 4 KiB, with secrets masked.'),
    exists: Exists,
    attempt_count: Count,
    failed_at: Timestamp,
    payload: z
      .record(z.string(), z.unknown())
      .describe(
        'Payload that was sent to the provider, with secrets masked. A config that is too large is omitted.',
      ),
    organization_id: z.string(),
    project_id: z.string(),
    project_name: ProjectName,
    superseded: z
      .boolean()
      .describe(
        'Whether the resource was applied again or deleted since, or the event runs again.',
      ),
    cause: Cause,
  })
  .meta({ examples: [exampleOfDeadLetter] });

export const DeadLetterDetail = DeadLetter.extend({
  log_excerpt: z
    .array(z.string())
    .nullable()
    .describe(
      'The last lines that the handler logged or printed in the last attempt, the newest last, with secrets masked: at most 50, and 16 KiB. When the event ended the process without an answer, the last lines of the process, at most 2 KiB. Null when there are none.',
    ),
}).meta({
  examples: [
    {
      ...exampleOfDeadLetter,
      log_excerpt: ['2026-01-31T11:59:59.900Z info Connecting {"host":"127.0.0.1"}'],
    },
  ],
});

export const DeadLetterCause = z.object({
  provider: ProviderName,
  cause: Cause,
  error_code: z.string(),
  error_message: z
    .string()
    .describe(
      'Common error text of the events, with placeholders in `<>` for the differing parts.',
    ),
  example_message: z
    .string()
    .nullable()
    .describe(
      'Error message of the first of the `examples`. Null beyond the hundred most frequent causes.',
    ),
  count: Count,
  superseded: Count.describe('Number of the events that are superseded.'),
  oldest_failed_at: Timestamp,
  newest_failed_at: Timestamp,
  examples: z.array(EventId).describe('Up to three of the events, oldest failures first.'),
});

export const DeadLettersOrCauses = z.union([z.array(DeadLetter), z.array(DeadLetterCause)]);

export const Retried = z.object({
  retried: Count.describe('Number of events that are newly accepted for a retry.'),
  retried_count: Count.describe('Same as `retried`.'),
});

export const Redrive = z
  .object({
    state: z
      .enum(redriveStates)
      .describe(
        '`running` while events are sent again. `held` when the last retry has ended and left events whose cause failed again. `done` otherwise.',
      ),
    retried: Count.describe('Number of accepted events that are no longer in the list.'),
    left: Count.describe('Number of events that will be sent again.'),
    held: Count.describe('Number of events that stay, because their cause failed again.'),
    causes: z
      .array(
        z.object({
          provider: ProviderName,
          cause: Cause,
          state: z
            .enum(redriveCauseStates)
            .describe(
              '`waiting`: nothing was sent yet. `trying`: the first event was sent alone. `open`: it succeeded, and the others follow. `held`: it failed again.',
            ),
          count: Count.describe('Number of the events that are in the list.'),
        }),
      )
      .describe(
        'Causes of the events that are left or held, most frequent first, at most 100. The cause of a first event that is still under way is listed, too, when no other event of it is left.',
      ),
    ended_at: Timestamp.nullable().describe(
      'End of the last retry. Null while one runs, and when there was none.',
    ),
  })
  .meta({
    examples: [
      {
        state: 'running',
        retried: 120,
        left: 80,
        held: 0,
        causes: [{ provider: 'postgres', cause: '0f1e2d3c4b5a', state: 'open', count: 80 }],
        ended_at: null,
      },
    ],
  });

export const Deleted = z.object({
  deleted: Count.describe('Number of deleted events.'),
  deleted_count: Count.describe('Same as `deleted`.'),
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
  project_name: ProjectName,
  organization_id: z.string(),
  reason: z
    .enum(receiptReasons)
    .describe('Reason why the resource was removed without clean-up by its provider.'),
  kind: z
    .enum(receiptKinds)
    .describe(
      '`Orphaned`: what the provider created was left on purpose. `Abandoned`: the provider did not clean up.',
    ),
  protected: z.boolean().describe('Whether the resource was protected when it was removed.'),
  error: z.string().nullable().describe('Error of the provider, when it was called.'),
  exists: Exists,
  event_id: z.string().nullable().describe('Last event of the resource.'),
  config: anything.describe('Declared config, with secrets masked.'),
  outputs: anything.describe(
    'Outputs that identify objects that may remain outside: ids, names, hosts, ports, regions and the origins of URLs. Every other value is `[masked]`. Null when the outputs were too large to store.',
  ),
  omitted: z.array(z.string()).describe('Fields that were too large to store.'),
  created_at: Timestamp,
});
export const Receipts = z.array(Receipt);
