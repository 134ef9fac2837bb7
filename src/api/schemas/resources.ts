// Defines the requests and responses for resources.
import { z } from 'zod';
import { lifecycleStates } from '../../domain/lifecycle.ts';
import { resourceOptionRules } from '../../domain/resource-option-rules.ts';
import { defaultOptions, resourceOptionFields } from '../../domain/resource-options.ts';
import { bodyOf } from '../../lib/fields.ts';
import {
  freeForm,
  NameOfSubject,
  Progress,
  ProjectId,
  ProjectName,
  ProjectReference,
  ProviderName,
  page,
  sentBack,
  Tag,
  Timestamp,
  TypeName,
  TypeVersion,
} from './core.ts';
import { dryRun } from './dry-run.ts';
import { givenShape, recordShape } from './fields.ts';
import { adopt, Drift, Observation } from './observation.ts';
import { ResourceName, ResourceTuple } from './resource-address.ts';

const example = { name: 'orders', connectionLimit: 20 };

export const ApplyResourceQuery = z.object({
  ...dryRun,
  replace: z
    .boolean()
    .default(false)
    .describe(
      'Deletes what the provider created and creates it again with the new content, under the same identity. Permits changes of immutable fields. A resource that never succeeded, or whose content does not change, is not replaced.',
    ),
});
export const UpdateResourceQuery = z.object(dryRun);
export const DeleteResourceQuery = z.object({
  ...dryRun,
  force: z
    .boolean()
    .default(false)
    .describe(
      'Deletes the resource even if other resources use it, and removes it even if its provider is not ready or cannot delete what it created. An orphan receipt records what may remain outside. Also works for a resource in deletion.',
    ),
  orphan: z
    .boolean()
    .default(false)
    .describe(
      'Leaves what the provider created, as with the deletion policy `orphan`. No event is sent, and an orphan receipt keeps what identifies it. Also works for a resource in deletion.',
    ),
});
export const GetResourceQuery = z.object({
  deleting: z
    .literal('include')
    .optional()
    .describe('With `include`, also finds a resource in deletion.'),
});
const hiding = {
  secrets: z
    .literal('hide')
    .optional()
    .describe(
      'With `hide`, sensitive values are null for every role, and `masked` lists them. A read that shows some leaves an audit line.',
    ),
};
export const ReadResourceQuery = z.object({ ...GetResourceQuery.shape, ...hiding });
export const ResourceRecord = z
  .object({
    id: z.string().describe('Identifier: `resource:{provider}_{resource}_{name}`.'),
    provider: ProviderName,
    resource: TypeName,
    name: ResourceName,
    project_id: ProjectId,
    project_name: ProjectName,
    lifecycle_state: z
      .enum(lifecycleStates)
      .describe(
        'Lifecycle state of the resource. A resource in deletion is `processing`, or `failed` when its deletion failed permanently.',
      ),
    reason: z.string().describe('Reason for the state, as a CamelCase identifier.'),
    message: z
      .string()
      .nullable()
      .describe(
        'Explanation of the reason, such as a missing dependency, the time of the next attempt or the message of the provider. Secrets are masked.',
      ),
    attempt: z
      .int()
      .nullable()
      .describe(
        'Number of the current or next attempt of the event. Null when no event is under way.',
      ),
    next_attempt_at: Timestamp.nullable().describe(
      'Earliest time of the next call to the provider. Null when no call is scheduled.',
    ),
    progress: Progress.nullable().describe(
      'Progress that the provider last reported for the event under way. Null when there is none.',
    ),
    config: freeForm.describe('Configuration as applied.'),
    type_version: TypeVersion.nullable().describe(
      'Version of the type by whose schema the config is read. Null when the config was not applied over HTTP, and no event was created for it yet: then it is the newest that it fits at that time.',
    ),
    outputs: freeForm.describe(
      'Outputs that the provider returned. Empty before the first success.',
    ),
    tags: z.array(Tag).nullable(),
    error: z.string().nullable().describe('Error message of the recorded failure.'),
    dependencies: z.array(ResourceTuple),
    ...recordShape(resourceOptionFields, resourceOptionRules),
    adopt: adopt
      .nullable()
      .describe('Identifies the object that was imported. Null for one that is created.'),
    drift: Drift.nullable().describe(
      'Difference between the config of the last success and the object, as last observed. Null when there is none, as far as values were compared, and when the type is not observable.',
    ),
    observation: Observation.nullable().describe(
      'Last observation that was requested with `POST …/observe`. Null when there was none.',
    ),
    provider_version: z
      .string()
      .nullable()
      .describe(
        'Version of the provider that processed the last successful event. Null before the first success, and when the provider runs elsewhere.',
      ),
    applied_by: z
      .string()
      .nullable()
      .describe(
        'Subject of the last apply that changed the resource. Null when it was never applied over HTTP.',
      ),
    applied_by_name: NameOfSubject,
    deletion_requested_at: Timestamp.nullable().describe(
      'Time of the deletion request. Null when the resource is not in deletion.',
    ),
    created_at: Timestamp.describe('Time of the creation, in ISO 8601, UTC.'),
    updated_at: Timestamp.describe('Time of the last change, in ISO 8601, UTC.'),
    masked: z
      .array(z.string())
      .optional()
      .describe(
        'JSON Pointers of the values in `config`, `outputs` and `adopt` that viewers do not see because a schema of the type marks them as sensitive; they are null. Absent when nothing is hidden. At `/config`, `/outputs` or `/adopt`, all of it is hidden.',
      ),
  })
  .meta({
    examples: [
      {
        id: 'resource:postgres_database_orders',
        provider: 'postgres',
        resource: 'database',
        name: 'orders',
        project_id: 'default-0f1e2d3c4b5a',
        project_name: 'default',
        lifecycle_state: 'ready',
        reason: 'Processed',
        message: 'CREATE succeeded',
        attempt: null,
        next_attempt_at: null,
        progress: null,
        config: example,
        type_version: 1,
        outputs: { host: '127.0.0.1', database: 'orders' },
        tags: ['team-a'],
        error: null,
        dependencies: [],
        ...bodyOf(resourceOptionFields, defaultOptions),
        adopt: null,
        drift: null,
        observation: null,
        provider_version: '20260131.115500',
        applied_by: 'f2d8c1a4',
        applied_by_name: 'ada@example.com',
        deletion_requested_at: null,
        created_at: '2026-01-31T12:00:00.000Z',
        updated_at: '2026-01-31T12:00:02.000Z',
      },
    ],
  });
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
    sentBack(ResourceRecord, {
      provider: ProviderName,
      resource: TypeName,
      name: ResourceName,
      config: freeForm
        .describe('Configuration, as defined by the schema of the type.')
        .meta({ examples: [example] }),
      type_version: TypeVersion.nullable()
        .optional()
        .describe(
          'Version of the type by whose schema the config is read. Defaults to the newest that the config fits, and in which no immutable field changes by a default; a config that does not change keeps its version. For an older one, the response has a `Warning`.',
        ),
      lifecycle_state: z
        .enum(['draft', 'pending'])
        .default('draft')
        .describe(
          'A `draft` is only stored; a `pending` resource is validated and sent to its provider. In a fetched record that is sent back (it has an `id`), `processing`, `ready` and `failed` mean `pending`.',
        ),
      tags: z
        .array(Tag)
        .max(64)
        .nullable()
        .optional()
        .describe(
          'Keywords for filtering lists. Unchanged when omitted; cleared when null or empty.',
        ),
      project_id: ProjectReference.nullable()
        .optional()
        .describe(
          'Project that the resource belongs to: its identifier, or its name. Defaults to the default project. Immutable.',
        ),
      dependencies: z
        .array(ResourceTuple)
        .max(64)
        .optional()
        .describe(
          'Resources that must be ready before this resource is processed. Unchanged when omitted.',
        ),
      ...givenShape(resourceOptionFields, resourceOptionRules),
      adopt: adopt
        .nullable()
        .optional()
        .describe(
          'Identifies an existing object, as `adopt_schema` of the type says: usually `id`. The first event of the resource is then an OBSERVE: nothing is created or changed. Unchanged when omitted. Only for a resource that has never succeeded.',
        ),
      masked: z
        .array(z.string())
        .refine((paths) => paths.length === 0, {
          error:
            'The record was read by a viewer, or with secrets=hide, and lacks the values at these paths, or is of a history, which does not keep them; set them in the config, and omit masked',
        })
        .optional()
        .describe(
          'Has to be empty or absent: the hidden values of a record that a viewer read would be lost.',
        ),
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

/** Options are no content: what else a resource has is changed by an apply. */
export const UpdateResource = z
  .strictObject(givenShape(resourceOptionFields, resourceOptionRules))
  .meta({ examples: [{ paused: true }] });

export const ResourceRecords = z.array(ResourceRecord);

export const ListResources = z.object({
  provider: ProviderName.optional(),
  resource: TypeName.optional(),
  tags: z
    .array(Tag)
    .max(64)
    .optional()
    .describe('Tag filter. Repeatable; a resource must have every given tag.'),
  lifecycle_state: z.enum(lifecycleStates).optional(),
  drift: z
    .boolean()
    .optional()
    .describe('With `true`, only resources that have drifted; with `false`, only the others.'),
  project_id: ProjectReference.optional(),
  set: z.string().optional().describe('Only members of the set with this name.'),
  deleting: z
    .enum(['include', 'only'])
    .optional()
    .describe('With `include`, also lists resources in deletion; with `only`, lists nothing else.'),
  ...hiding,
  ...page,
});
