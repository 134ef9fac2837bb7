// Defines the requests and responses for sets: resources of a project that are applied, planned and pruned together.
import { z } from 'zod';
import { lifecycleStates } from '../../domain/lifecycle.ts';
import { resourceOptionRules } from '../../domain/resource-option-rules.ts';
import { prunePolicies } from '../../domain/sets/prune.ts';
import { batchBody, MemberName, maxBatch, PlannedMember, planOf, touches } from './batches.ts';
import { NameOfSubject, ProjectId, ProjectName, ProjectReference, Timestamp } from './core.ts';
import { dryRun } from './dry-run.ts';
import { ApplyResource } from './resources.ts';

const { set } = resourceOptionRules;

export const SetName = z
  .string()
  .max(set.maxLength)
  .regex(set.pattern, `Input should be ${set.rule}, such as ${set.example}`)
  .describe('Name of the set, unique within its project.')
  .meta({ examples: [set.example] });

export const SetPath = z.object({ set: SetName });

const ofProject = {
  project_id: ProjectReference.optional().describe(
    'Project of the set. Defaults to the default project, or to that of the token.',
  ),
};

export const ListSets = z.object({
  project_id: ProjectReference.optional().describe('Only sets of this project.'),
});
export const GetSetQuery = z.object(ofProject);
export const DeleteSetQuery = z.object({
  ...dryRun,
  ...ofProject,
  resources: z
    .enum(['delete', 'orphan', 'leave'])
    .describe(
      'Whether the members are deleted, removed while their objects stay, or go on without a set.',
    ),
  plan: batchBody.plan,
});

const PrunePolicy = z.enum(prunePolicies);

export const ApplySet = z
  .strictObject({
    ...batchBody,
    project_id: ProjectReference.nullable()
      .optional()
      .describe('Project of the set and of its resources. Defaults to the default project.'),
    prune: PrunePolicy.optional().describe(
      'What becomes of members that the request does not name: `keep` leaves them as they are, `leave` without a set; `orphan` removes them and leaves their objects, and `delete` deletes them. Defaults to what the set has, and `keep` for a new one. A more careful one than the set has is for this request; a less careful one needs `plan`.',
    ),
    resources: z
      .array(ApplyResource)
      .max(maxBatch)
      .describe(
        'Resources, as bodies of an apply. Their order does not matter. An empty list needs `plan`.',
      ),
    take: z
      .array(MemberName)
      .max(maxBatch)
      .default([])
      .describe('Resources of this request that may be members of another set, and move.'),
  })
  .meta({
    examples: [
      {
        prune: 'keep',
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

const unlisted = z
  .array(MemberName)
  .describe('Members that the last request did not name, until somebody decides about them.');

const naming = {
  set: SetName,
  project_id: ProjectId,
  project: ProjectName,
};

export const SetRecord = z.object({
  ...naming,
  prune: PrunePolicy.describe('What becomes of members that a request does not name.'),
  complete: z
    .boolean()
    .nullable()
    .describe(
      'Whether the last request has written everything. False while one runs, and after one that ended halfway; the same request again finishes. Null when nobody has applied the set.',
    ),
  applied_at: Timestamp.nullable().describe('Time of the last request that changed something.'),
  applied_by: z.string().nullable().describe('Subject of that request.'),
  applied_by_name: NameOfSubject,
  plan: planOf.nullable().describe('Digest of the plan of that request.'),
  resources: z.number().describe('Number of members.'),
  states: z
    .partialRecord(z.enum(lifecycleStates), z.number())
    .describe('Number of members in each state.'),
  unlisted_count: z.number().describe('Number of members that the last request did not name.'),
});
export const SetRecords = z.array(SetRecord);

export const SetWithMembers = z.object({
  ...SetRecord.shape,
  members: z
    .array(
      z.object({
        resource: MemberName,
        id: z.string(),
        lifecycle_state: z.enum(lifecycleStates),
        reason: z.string().nullable().describe('Why it is in this state.'),
        error: z.string().nullable(),
      }),
    )
    .describe('In the order of their names.'),
  unlisted,
});

export const SetPlan = z.object({
  ...naming,
  prune: PrunePolicy.describe('In force for this request.'),
  stored_prune: PrunePolicy.describe('In force for later requests.'),
  plan: planOf,
  plan_required: z
    .string()
    .nullable()
    .describe('Why the request is refused without `plan`, the digest of its plan.'),
  resources: z
    .array(PlannedMember)
    .describe('Those of the request in its order, then members that it does not name.'),
  unlisted: z
    .array(MemberName)
    .describe('Members that the request does not name, and that stay members.'),
  touches,
});
