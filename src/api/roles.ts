// Roles, and which operations they permit. Pure: the server decides by it, and the console shows by it.
import { type Operation, operations, type ProtectedId } from './operations.ts';

/** In ascending order: each role includes the rights of the roles before it. */
export const roles = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

export interface Holder {
  readonly role: Role;
  /** The one project to which the token is confined. */
  readonly project: string | undefined;
}

export interface Rule {
  /** The lowest role that may call the operation. */
  readonly role: Role;
  /** True if a token that is confined to one project may call it; the route restricts it to that project. */
  readonly inProject: boolean;
}

export function ruleOf(operation: ProtectedId): Rule {
  const [, , role, scope]: Operation<Role> = operations[operation];
  return { role, inProject: scope === 'inProject' };
}

/** Returns whether role and project of a token permit an operation. */
export function isPermitted({ role, project }: Holder, operation: ProtectedId): boolean {
  const { role: lowest, inProject } = ruleOf(operation);
  return (project === undefined || inProject) && roles.indexOf(role) >= roles.indexOf(lowest);
}
