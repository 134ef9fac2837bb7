// Defines the requests and responses for batches: many resources that are checked together before one of them is written.
import { z } from 'zod';
import { batchChanges, memberOutcomes, setChanges, setOutcomes } from '../../domain/apply-plans.ts';
import type { JsonValue } from '../../lib/json.ts';
import { freeForm, ProjectReference } from './core.ts';
import { dryRunName } from './dry-run.ts';
import { ApplyResource, ResourceRecord } from './resources.ts';

/** Maximum number of resources in one request. */
export const maxBatch = 500;

export const MemberName = z
  .string()
  .describe('A resource: `provider/resource/name`.')
  .meta({ examples: ['postgres/database/orders'] });

export const BatchQuery = z.object({
  [dryRunName]: z
    .boolean()
    .default(false)
    .describe('Checks the request and answers with its plan, but changes nothing.'),
  secrets: z
    .literal('show')
    .optional()
    .describe(
      'With `show`, `differences` have the sensitive values, for those who may see them; it leaves an audit line.',
    ),
});

export const batchBody = {
  project_id: ProjectReference.nullable()
    .optional()
    .describe('Project of the resources that name none. Defaults to the default project.'),
  replace: z
    .boolean()
    .default(false)
    .describe(
      'Replaces resources whose immutable fields change: the provider deletes what it created, and creates it again. Otherwise they are refused.',
    ),
  plan: z
    .string()
    .max(4_096)
    .optional()
    .describe(
      'Digest of a plan. The request is carried out only if its plan is still the same; otherwise it is refused with `plan_stale`.',
    ),
};

export const ApplyResources = z
  .strictObject({
    ...batchBody,
    resources: z
      .array(ApplyResource)
      .min(1)
      .max(maxBatch)
      .describe('Resources, as bodies of an apply. Their order does not matter.'),
  })
  .meta({
    examples: [
      {
        resources: [
          {
            provider: 'postgres',
            resource: 'database',
            name: 'orders',
            config: { name: 'orders' },
            lifecycle_state: 'pending',
          },
        ],
      },
    ],
  });

const anything = z
  .unknown()
  .transform((value) => value as JsonValue)
  .describe('Any JSON value.');
const Difference = z.object({
  path: z
    .string()
    .describe(
      'Place in the resource, such as `config.size` or `tags`. Lists are compared as a whole.',
    ),
  before: anything.optional().describe('Present value. Absent when it is new.'),
  after: anything.optional().describe('Next value. Absent when it is removed.'),
});

const memberShape = {
  resource: MemberName,
  id: z.string().describe('Identifier: `resource:{provider}_{resource}_{name}`.'),
  differences: z
    .array(Difference)
    .describe('What changes, by place. Sensitive values are masked, unless they are asked for.'),
  forced_by: z
    .array(z.string())
    .describe(
      'The fields that force a replacement: immutable ones, those that the provider cannot change, and the references to resources that are replaced with it.',
    ),
  known_outputs: freeForm
    .nullable()
    .optional()
    .describe(
      'Outputs that the provider knows before the event; null when it names none. Sensitive values are masked, unless they are asked for.',
    ),
  waits_for: z.array(MemberName).describe('Resources that it uses, and that are not ready yet.'),
  known_after: z
    .array(z.object({ path: z.string(), resource: MemberName }))
    .describe('References whose values are known only after the resource that they read is ready.'),
  drift: z
    .boolean()
    .nullable()
    .describe('Whether the object has drifted. Null when the type is not observable.'),
  warnings: z.array(z.string()),
  blocked_by: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why the change would be refused now, in a preview. It may pass, or can be lifted.'),
  record: ResourceRecord.nullable().describe('The resource, as it would be or as it was written.'),
};

const PlannedResource = z.object({
  ...memberShape,
  change: z
    .enum(batchChanges)
    .describe(
      'The change. `fields`: options and tags, without an event. `none`: it stays as it is.',
    ),
  outcome: z.enum(memberOutcomes),
});

export const PlannedMember = z.object({
  ...memberShape,
  change: z
    .enum(setChanges)
    .describe(
      'The change. `fields`: options and tags, without an event. `join`, `take`, `leave`: into the set, into it from another one, out of it. `delete`, `orphan`: a member that the request does not name is deleted, or removed while its object stays. `unlisted`: such a member stays. `none`: it stays as it is.',
    ),
  outcome: z.enum(setOutcomes),
});

export const touches = z
  .array(z.object({ resource: MemberName, through: MemberName }))
  .describe('Other resources that get an UPDATE when an output that they use changes.');

export const planOf = z
  .string()
  .describe(
    'Digest of the plan. It changes when the request, or anything that the plan depends on, changes.',
  );

export const BatchPlan = z.object({
  plan: planOf,
  resources: z.array(PlannedResource).describe('In the order of the request.'),
  touches,
});
