// The rights of the caller, by the table of the API: an action without a right is not offered.
import type { ProtectedId } from '../../api/operations.ts';
import { isPermitted } from '../../api/permissions.ts';
import { me } from './session.ts';

/**
 * A caller that is not known has a token of one project, to which the API does not tell its role: it only reads.
 * @returns whether the role and the project of the token permit an operation
 * @example may('deployProvider')
 */
export function may(operation: ProtectedId): boolean {
  const { role, project_id: project } = me.value ?? { role: 'viewer', project_id: '' };
  return isPermitted({ role, project: project ?? undefined }, operation);
}
