// What the caller may do, by the table of the API: what is not allowed is not offered.
import { type Operation, roles, ruleOf } from '../../http/auth/authorize.ts';
import { me } from './session.ts';

/** @returns whether the role and the project of the token permit an operation. @example may('deployProvider') */
export function may(operation: Operation): boolean {
  const caller = me.value;
  if (caller === undefined) return false;
  const rule = ruleOf(operation);
  if (caller.project_id !== null && !rule.platform) return false;
  return roles.indexOf(caller.role) >= roles.indexOf(rule.role);
}
