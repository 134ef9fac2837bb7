// Which operations a role permits. Pure: the server decides by it, and the console shows by it.
import { type Operation, operations, type ProtectedId } from './operations.ts';
import { type Role, type RoleHolder, roles } from './roles.ts';

interface OperationRule {
  /** The lowest role that may call the operation. */
  readonly role: Role;
  /** True if a token that is confined to one project may call it; the route restricts it to that project. */
  readonly inProject: boolean;
}

export function ruleOf(operation: ProtectedId): OperationRule {
  const [, , role, scope]: Operation<Role> = operations[operation];
  return { role, inProject: scope === 'inProject' };
}

/** Returns whether role and project of a token permit an operation. */
export function isPermitted({ role, project }: RoleHolder, operation: ProtectedId): boolean {
  const { role: lowest, inProject } = ruleOf(operation);
  return (project === undefined || inProject) && roles.indexOf(role) >= roles.indexOf(lowest);
}
