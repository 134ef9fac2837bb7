// Refuses callers whose role or project does not permit an operation.
import type { ProtectedId } from '../../api/operations.ts';
import { isPermitted, ruleOf } from '../../api/permissions.ts';
import type { Holder } from '../../api/roles.ts';
import { FairleadError } from '../../domain/errors.ts';

/** @throws FairleadError `insufficient_role`, or `outside_project` for an operation that confined tokens do not permit */
export function authorize(holder: Holder, operation: ProtectedId): void {
  if (isPermitted(holder, operation)) return;
  const { role, inProject } = ruleOf(operation);
  if (holder.project !== undefined && !inProject) {
    const message = 'A token that is confined to one project does not permit this operation';
    throw new FairleadError('outside_project', message);
  }
  const message = `The operation requires the role ${role}; the token grants ${holder.role}`;
  throw new FairleadError('insufficient_role', message);
}
