// Defines the responses that explain resources: causes, next steps, Kubernetes Events.

import { z } from 'zod';
import { eventTypes } from '../../domain/event.ts';
import { actions, linkKinds, linkStates } from '../../domain/explanation.ts';
import { lifecycleStates } from '../../domain/lifecycle.ts';
import { Progress, ProjectReference, ProviderName, Timestamp } from './core.ts';

const ResourceRef = z
  .string()
  .describe('`{provider}/{resource}/{name}`')
  .meta({ examples: ['postgres/role/seller'] });

const Link = z.object({
  kind: z.enum(linkKinds),
  ref: z
    .string()
    .describe(
      'Name within its kind: `{provider}/{resource}/{name}` for a resource, `organization` for a quota.',
    ),
  state: z
    .enum(linkStates)
    .describe(
      'For a provider that could not process an event `failed`, and for one that refuses a config `refused`, whatever its deployment does.',
    ),
  reason: z.string().nullable().describe('Reason for the state, as a CamelCase identifier.'),
  message: z
    .string()
    .nullable()
    .describe(
      'Explanation of the reason. Secrets are masked. Null when a deeper link has the same message.',
    ),
  since: Timestamp.nullable().describe('Time since when it is in this state.'),
  via: z
    .string()
    .nullable()
    .describe(
      'Field of the next resource in the chain that depends on this one, such as `config.owner`.',
    ),
});

const Next = z.object({
  do: z.enum(actions).describe('Step to take.'),
  why: z.string().describe('Reason for the step, for people.'),
  resource: ResourceRef.optional(),
  provider: z.string().optional(),
  type: z.string().optional(),
  cause: z.string().optional().describe('Cause of the dead letters to retry.'),
  version: z.string().optional(),
  job_name: z.string().optional(),
  event_id: z.string().optional().describe('Event whose dead letter shows the failure.'),
  settings: z
    .array(z.string())
    .optional()
    .describe('Names of the settings to set; empty when it is not known which.'),
  since: Timestamp.optional().describe('Time from which on the log shows the failure.'),
  previous: z
    .boolean()
    .optional()
    .describe('True for the log of the process before the one that runs.'),
  project_id: z.string().optional(),
  until: Timestamp.optional().describe('Time of the next attempt.'),
});

const DeadLetterRef = z.object({
  event_id: z.string(),
  resource: ResourceRef,
  cause: z.string().describe('Fingerprint of the failure.'),
  same_cause: z
    .int()
    .min(0)
    .nullable()
    .describe('Number of other dead letters with the cause; at most 100 are counted.'),
});

const deadLetter = DeadLetterRef.nullable().describe(
  'Dead letter of the resource that is nearest to the cause. Null when there is none, and for a token that is confined to a project.',
);
const next = z
  .array(Next)
  .describe(
    'Next steps, the most useful first. Steps that the role of the caller does not permit are replaced by whom to ask.',
  );
const example = {
  kind: 'provider',
  ref: 'postgres',
  state: 'failed',
  reason: 'AttemptsExhausted',
  message: 'handler_error: connect ECONNREFUSED 127.0.0.1:5432',
  since: '2026-01-31T12:00:00.000Z',
  via: null,
} as const;
const exampleLetter = {
  event_id: 'evt-0123456789abcdef0123456789abcdef',
  resource: 'postgres/role/seller',
  cause: '0f1e2d3c4b5a',
  same_cause: 2,
};
const exampleNext = [
  {
    do: 'retry_dead_letters',
    why: 'Retry after the cause is repaired; 2 more have this cause',
    provider: 'postgres',
    cause: '0f1e2d3c4b5a',
  },
] as const;

const AttemptError = z.object({
  attempt: z.int(),
  error: z.string().describe('Beginning of the error message. Secrets are masked.'),
  failed_at: Timestamp,
});

export const Explanation = z
  .object({
    summary: z.string().describe('The explanation in one sentence.'),
    resource: ResourceRef,
    state: z.enum(linkStates),
    reason: z.string().describe('Reason for the state, as a CamelCase identifier.'),
    chain: z
      .array(Link)
      .describe('From the deepest cause to the resource itself, at most 66 links.'),
    event: z
      .object({
        event_id: z.string(),
        event_type: z.enum(eventTypes),
        attempt: z.int(),
        max_attempts: z.int(),
        next_attempt_at: Timestamp.nullable(),
        due_since: Timestamp.nullable().describe(
          'Time since when the attempt is due: it is under way, or about to begin. Null when it is not due.',
        ),
        limit_seconds: z
          .number()
          .nullable()
          .describe('Seconds that an attempt may take. Null when the event is not under way.'),
        progress: Progress.nullable().describe(
          'Progress that the provider last reported. Null when it reports none.',
        ),
        errors: z
          .array(AttemptError)
          .describe('Errors of the attempts that failed so far, the first of them first.'),
      })
      .nullable()
      .describe('Event that is under way or has failed. Null for a ready resource.'),
    dead_letter: deadLetter,
    log_excerpt: z
      .array(z.string())
      .describe(
        'The last lines that the handler logged or printed in the last attempt of the event of `dead_letter`, the newest last, with secrets masked: at most 10 of the lines of the dead letter. Empty when there are none, and for a token that is confined to a project.',
      ),
    users: z
      .array(ResourceRef)
      .describe('Resources that use this one, sorted by name, at most 100.'),
    next,
  })
  .meta({
    examples: [
      {
        summary:
          'postgres/role/seller has failed because provider postgres could not process its event.',
        resource: 'postgres/role/seller',
        state: 'failed',
        reason: 'AttemptsExhausted',
        chain: [
          example,
          {
            ...{ ...example, message: null },
            kind: 'resource',
            ref: 'postgres/role/seller',
          },
        ],
        event: {
          event_id: 'evt-0123456789abcdef0123456789abcdef',
          event_type: 'CREATE',
          attempt: 2,
          max_attempts: 2,
          next_attempt_at: null,
          due_since: null,
          limit_seconds: null,
          progress: null,
          errors: [
            {
              attempt: 1,
              error: 'UNREACHABLE: The provider does not accept connections',
              failed_at: '2026-01-31T11:59:58.000Z',
            },
            {
              attempt: 2,
              error: 'handler_error: connect ECONNREFUSED 127.0.0.1:5432',
              failed_at: '2026-01-31T12:00:00.000Z',
            },
          ],
        },
        dead_letter: exampleLetter,
        log_excerpt: ['2026-01-31T11:59:59.900Z info Connecting {"host":"127.0.0.1"}'],
        users: ['postgres/database/shop'],
        next: [...exampleNext],
      },
    ],
  });

export const CauseGroup = z
  .object({
    summary: z.string().describe('One sentence about the resource that is nearest to the cause.'),
    cause: Link.describe('Deepest cause.'),
    count: z
      .int()
      .min(1)
      .describe('Number of resources that wait for this cause, failed of it, or have drifted.'),
    resources: z.array(ResourceRef).describe('The first 20 of these resources.'),
    dead_letter: deadLetter,
    next,
  })
  .meta({
    examples: [
      {
        summary:
          'postgres/role/seller has failed because provider postgres could not process its event.',
        cause: example,
        count: 2,
        resources: ['postgres/database/shop', 'postgres/role/seller'],
        dead_letter: exampleLetter,
        next: [...exampleNext],
      },
    ],
  });
export const CauseGroups = z.array(CauseGroup);

export const ListExplanations = z.object({
  lifecycle_state: z
    .enum(lifecycleStates)
    .exclude(['ready'])
    .optional()
    .describe(
      'State of the resources. Defaults to every state but `ready` and `draft`, and ready resources that have drifted.',
    ),
  provider: ProviderName.optional(),
  project_id: ProjectReference.optional(),
  set: z.string().optional().describe('Only members of the set with this name.'),
  deleting: z
    .literal('include')
    .optional()
    .describe('With `include`, also explains resources in deletion.'),
});

/** A console that was opened before an update of the API still sends it. */
export const ExplainResourceQuery = z.object({
  deleting: z
    .literal('include')
    .optional()
    .describe('Has no effect: a resource in deletion is found with and without it.'),
});

export const ResourceEvent = z
  .object({
    type: z.enum(['Normal', 'Warning']),
    reason: z.string().describe('CamelCase identifier.'),
    message: z.string(),
    count: z.int().min(0).describe('How often it was observed.'),
    first_at: Timestamp,
    last_at: Timestamp,
  })
  .meta({
    examples: [
      {
        type: 'Warning',
        reason: 'RetryScheduled',
        message: 'Attempt 1 failed: connect ECONNREFUSED 127.0.0.1:5432',
        count: 1,
        first_at: '2026-01-31T12:00:00.000Z',
        last_at: '2026-01-31T12:00:00.000Z',
      },
    ],
  });
export const ResourceEvents = z.array(ResourceEvent);
