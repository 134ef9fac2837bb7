// Defines Project: a group of resources inside an organization.
import { z } from 'zod';
import { defaultProjectPattern } from '../domain/identity.ts';
import { Conditions } from './conditions.ts';
import { cel, dateTime, defineKind, immutable, type ObjectOf } from './define.ts';
import { namedAfter } from './naming.ts';

const ProjectSpec = z
  .object({
    projectId: z
      .string()
      .min(1)
      .max(63)
      .describe('Identifier of the project, unique within its organization.')
      .meta(immutable),
    displayName: z.string().min(1).max(256).describe('Display name shown to people.'),
    managedBy: z
      .enum(['user', 'platform'])
      .optional()
      .describe(
        'Manager of the project. Fairlead creates the projects managed by platform, and users cannot change them.',
      )
      .meta(immutable),
    mayImport: z
      .boolean()
      .optional()
      .describe(
        'Whether tokens that are confined to the project may import, observe and list existing objects. Only kubectl sets it. Default: false.',
      ),
    requirePlan: z
      .boolean()
      .optional()
      .describe(
        'Whether requests that write many resources, a set, or a member of one need an approved plan. Default: false.',
      ),
    updatedAt: dateTime.optional().describe('Time at which the project last changed.'),
  })
  .meta(
    cel(
      {
        // A rule on the field alone is not evaluated when the field is added or removed.
        rule: 'has(self.managedBy) == has(oldSelf.managedBy)',
        message: 'managedBy cannot be added or removed',
        reason: 'FieldValueForbidden',
      },
      {
        rule: `self.?managedBy.orValue('user') == 'platform' || !self.projectId.matches('${defaultProjectPattern.source}')`,
        message: 'default- and 12 hexadecimal digits are the id of a default project',
        fieldPath: '.projectId',
      },
    ),
  );

const ProjectStatus = z.object({ conditions: Conditions.optional() });

export const Project = defineKind({
  kind: 'Project',
  plural: 'projects',
  singular: 'project',
  shortNames: ['flp'],
  namespaced: true,
  description: 'A group of resources inside an organization.',
  spec: ProjectSpec,
  status: ProjectStatus,
  columns: [
    { name: 'Project', type: 'string', jsonPath: '.spec.projectId' },
    { name: 'Name', type: 'string', jsonPath: '.spec.displayName' },
    { name: 'Managed By', type: 'string', jsonPath: '.spec.managedBy' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: ['.spec.projectId'],
  rules: [namedAfter('projectId')],
});
export type Project = ObjectOf<typeof Project>;
