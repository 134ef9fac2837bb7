// Defines the responses for the history of a resource.
import { z } from 'zod';
import { freeForm, NameOfSubject, Timestamp, TypeVersion } from './core.ts';
import { ResourceTuple, ResourceTuplePath } from './resource-address.ts';

const Revision = z
  .int()
  .min(1)
  .describe('Number of the revision: 1 for the first, one more for each that follows.')
  .meta({ examples: [3] });
const Hash = z
  .string()
  .describe('Hash of state, config and dependencies, without what is hidden.')
  .meta({ examples: ['9f86d081884c7d659a2feaa0c55ad015'] });
const AppliedAt = Timestamp.nullable().describe(
  'Time of the apply. Null for a change with kubectl, and when it is not known.',
);
const AppliedBy = z
  .string()
  .nullable()
  .describe('Subject of the apply. Null for a change with kubectl, and when it is not known.')
  .meta({ examples: ['ada@example.com'] });

const Change = z.object({
  path: z
    .string()
    .describe('JSON Pointer of the value.')
    .meta({ examples: ['/config/connectionLimit'] }),
  change: z
    .enum(['added', 'changed', 'removed', 'unknown'])
    .describe('`unknown`: a secret that may have changed.'),
  before: z.unknown().optional().describe('Earlier value. Absent for secrets and long values.'),
  after: z.unknown().optional().describe('Later value. Absent for secrets and long values.'),
});

export const HistoryEntry = z.object({
  revision: Revision,
  hash: Hash.nullable(),
  applied_at: AppliedAt,
  applied_by: AppliedBy,
  applied_by_name: NameOfSubject,
  current: z.boolean().describe('Whether it is the present revision.'),
  kept: z
    .boolean()
    .describe(
      'Whether its content is kept. It is not for lack of room, after a refusal of the storage, and when kubectl replaced it.',
    ),
  changes: z
    .array(Change)
    .nullable()
    .describe(
      'Differences from the revision before. Null when there is none, or one of the two is not kept.',
    ),
});
export const History = z.array(HistoryEntry);

export const RevisionPath = ResourceTuplePath.extend({
  revision: z
    .string()
    .regex(/^[1-9][0-9]{0,12}$/, 'Input should be the number of a revision, such as 3')
    .describe('Number of a revision.')
    .meta({ examples: ['3'] }),
});

export const ResourceRevision = z.object({
  revision: Revision,
  hash: Hash,
  applied_at: AppliedAt,
  applied_by: AppliedBy,
  applied_by_name: NameOfSubject,
  lifecycle_state: z.enum(['draft', 'pending']),
  config: freeForm.describe('Configuration as applied, with null in place of secrets.'),
  type_version: TypeVersion.nullable().describe(
    'Version of the type by whose schema the config is read. Null when it is not known.',
  ),
  dependencies: z.array(ResourceTuple),
  masked: z
    .array(z.string())
    .describe(
      'JSON Pointers of the values that are not kept because a schema of the type marks them as sensitive. At `/config` or `/adopt`, all of it.',
    ),
});
