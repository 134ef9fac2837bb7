// Defines the requests and responses for resources.
import { z } from 'zod';
import { namePattern, parseResourceAddress } from '../../domain/identity.ts';
import { lifecycleStates } from '../../domain/lifecycle.ts';
import { freeForm, ignored, ProjectId, ProviderName, Tag, Timestamp, TypeName } from './core.ts';

const ResourceName = z
  .string()
  .max(200)
  .regex(namePattern)
  .describe('Name of the resource within its type.')
  .meta({ examples: ['orders'] });
const example = { name: 'orders', connectionLimit: 20 };

export const ResourceTuple = z.strictObject({
  provider: ProviderName,
  resource: TypeName,
  name: ResourceName,
});

export const ResourceIdPath = z.object({
  resource_id: z
    .string()
    .describe(
      'One of `resource:{provider}_{resource}_{name}`, `{provider}:{resource}:{name}` and `{provider}/{resource}/{name}`, percent-encoded.',
    )
    .meta({ examples: ['resource:postgres_database_orders'] })
    .transform((text, context) => {
      const address = parseResourceAddress(text);
      if (address !== undefined) return address;
      context.issues.push({
        code: 'custom',
        message:
          'Input should be a resource identifier: resource:{provider}_{resource}_{name}, {provider}:{resource}:{name} or {provider}/{resource}/{name}',
        input: text,
      });
      return z.NEVER;
    }),
});
export const DeleteResourceQuery = z.object({
  force: z
    .boolean()
    .default(false)
    .describe(
      'Delete it although others use it, and let it go although its provider is not there or cannot delete what it made. What may remain outside is kept in a receipt. Also for one that is being deleted already.',
    ),
});
export const GetResourceQuery = z.object({
  deleting: z
    .literal('include')
    .optional()
    .describe('`include`: also while it is being deleted. It is not found otherwise.'),
});
export const ResourceTuplePath = z.object(ResourceTuple.shape);
const committedStates: readonly unknown[] = ['processing', 'ready', 'failed'];

/** A fetched record, recognised by its `id`, contains its progress; sent back, it means that the resource is desired. */
function readRecordSentBack(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'id')) return body;
  const { lifecycle_state } = body as Record<string, unknown>;
  return committedStates.includes(lifecycle_state) ? { ...body, lifecycle_state: 'pending' } : body;
}

export const ApplyResource = z
  .preprocess(
    readRecordSentBack,
    z.strictObject({
      provider: ProviderName,
      resource: TypeName,
      name: ResourceName,
      config: freeForm
        .describe('Configuration, as the schema of the type defines it.')
        .meta({ examples: [example] }),
      lifecycle_state: z
        .enum(['draft', 'pending'])
        .default('draft')
        .describe(
          '`draft`: stored only. `pending`: validated and handed to the provider. In a fetched record that is sent back (it has an `id`), `processing`, `ready` and `failed` mean `pending`.',
        ),
      tags: z
        .array(Tag)
        .max(64)
        .nullable()
        .optional()
        .describe('Words to filter lists by. Omitted: kept as they are; null or empty: cleared.'),
      project_id: ProjectId.nullable()
        .optional()
        .describe('Project the resource belongs to; the default project when absent. Immutable.'),
      dependencies: z
        .array(ResourceTuple)
        .max(64)
        .optional()
        .describe(
          'Resources that must be ready before this one is processed. Omitted: kept as they are.',
        ),
      id: ignored('Identifier.'),
      outputs: ignored('What the provider produced.'),
      error: ignored('The recorded failure.'),
      reason: ignored('Why the resource is in its state.'),
      message: ignored('The same in a sentence.'),
      attempt: ignored('Number of the attempt.'),
      next_attempt_at: ignored('When the next attempt comes.'),
      provider_version: ignored('Version that made what is there.'),
      applied_by: ignored('Who applied it last.'),
      deletion_requested_at: ignored('When its deletion was asked for.'),
      created_at: ignored('When it was created.'),
      updated_at: ignored('When it last changed.'),
    }),
  )
  .meta({
    examples: [
      {
        provider: 'postgres',
        resource: 'database',
        name: 'orders',
        config: example,
        lifecycle_state: 'pending',
      },
    ],
  });

export const ResourceRecord = z
  .object({
    id: z.string().describe('`resource:{provider}_{resource}_{name}`'),
    provider: ProviderName,
    resource: TypeName,
    name: ResourceName,
    project_id: ProjectId,
    lifecycle_state: z
      .enum(lifecycleStates)
      .describe(
        'How far the resource has come. While it is being deleted: `processing`, or `failed` once its teardown failed for good.',
      ),
    reason: z.string().describe('Why it is in this state, in one word.'),
    message: z
      .string()
      .nullable()
      .describe(
        'The same in a sentence: what it waits for, which attempt comes when, what its provider says meanwhile. Secrets are masked.',
      ),
    attempt: z
      .int()
      .nullable()
      .describe('Number of the attempt that runs or comes next, while an event is under way.'),
    next_attempt_at: Timestamp.nullable().describe(
      'Not before this time its provider is asked again; null when nothing waits for a time.',
    ),
    config: freeForm.describe('Configuration, as it was sent.'),
    outputs: freeForm.describe('What the provider produced; empty until then.'),
    tags: z.array(Tag).nullable(),
    error: z.string().nullable().describe('The recorded failure.'),
    dependencies: z.array(ResourceTuple),
    provider_version: z
      .string()
      .nullable()
      .describe(
        'Version of the provider that made what is there; null before, and when the provider runs elsewhere.',
      ),
    applied_by: z
      .string()
      .nullable()
      .describe(
        'Subject of the last apply that changed something; null when there was none over HTTP.',
      ),
    deletion_requested_at: Timestamp.nullable().describe(
      'When its deletion was asked for; null unless it is being deleted.',
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({
    examples: [
      {
        id: 'resource:postgres_database_orders',
        provider: 'postgres',
        resource: 'database',
        name: 'orders',
        project_id: 'default-0f1e2d3c4b5a',
        lifecycle_state: 'ready',
        reason: 'Processed',
        message: 'CREATE succeeded',
        attempt: null,
        next_attempt_at: null,
        config: example,
        outputs: { host: '127.0.0.1', database: 'orders' },
        tags: ['team-a'],
        error: null,
        dependencies: [],
        provider_version: '20260131.115500',
        applied_by: 'ada@example.com',
        deletion_requested_at: null,
        created_at: '2026-01-31T12:00:00.000Z',
        updated_at: '2026-01-31T12:00:02.000Z',
      },
    ],
  });
export const ResourceRecords = z.array(ResourceRecord);

export const ListResources = z.object({
  provider: ProviderName.optional(),
  resource: TypeName.optional(),
  tags: z.array(Tag).max(64).optional().describe('Repeatable; a resource must have every one.'),
  lifecycle_state: z.enum(lifecycleStates).optional(),
  project_id: ProjectId.optional(),
  deleting: z
    .enum(['include', 'only'])
    .optional()
    .describe(
      'Show those that are being deleted, too, or nothing else. They are left out otherwise.',
    ),
  limit: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('At most this many, with a `Link` header when there are more.'),
  cursor: z.string().max(1_024).optional().describe('From the `Link` header of the page before.'),
});
