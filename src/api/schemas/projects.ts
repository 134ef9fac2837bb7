// Defines the requests and responses for projects.
import { z } from 'zod';
import { ProjectId, Timestamp } from './core.ts';

export const Project = z.object({
  project_id: ProjectId,
  organization_id: z.string().describe('Organization that owns the project.'),
  name: z.string().describe('Display name shown to people.'),
  managed_by: z
    .enum(['user', 'platform'])
    .nullable()
    .describe('Manager of the project. `platform` marks a project that Fairlead created.'),
  require_plan: z
    .boolean()
    .describe(
      'Whether requests for many resources or a set, and for a single member of one, need an approved plan.',
    ),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const Projects = z.array(Project);

const ProjectName = z
  .string()
  .min(1)
  .max(256)
  .describe('Display name shown to people.')
  .meta({ examples: ['Web shop'] });

export const CreateProject = z
  .strictObject({
    name: ProjectName,
    project_id: z
      .string()
      .max(63)
      .regex(
        /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/,
        'Input should be letters, digits and . _ - between them, such as web-shop',
      )
      .optional()
      .describe(
        'Permanent identifier, unique within the organization. When absent, it is made of the name: `web-shop` of Web shop, with a random end if that is taken.',
      )
      .meta({ examples: ['web-shop'] }),
  })
  .meta({ examples: [{ name: 'Web shop', project_id: 'web-shop' }] });

export const UpdateProject = z
  .strictObject({
    name: ProjectName.optional(),
    require_plan: z
      .boolean()
      .optional()
      .describe(
        'With true, requests for many resources or a set are refused with `plan_required` unless they have the digest of their plan, and so are applies, updates and deletions of a single member of a set.',
      ),
  })
  .refine(
    ({ name, require_plan }) => name !== undefined || require_plan !== undefined,
    'Input should have name or require_plan',
  )
  .meta({ examples: [{ name: 'Web shop' }, { require_plan: true }] });
