// The remedies of people for errors of the API. The API speaks to programs, and its advice names queries, bodies and headers: this is the
// same advice in words that are true in the client and in the console.
import type { ErrorCode } from '../../api/errors.ts';

/** The advice of the API names nothing of HTTP. */
const asItIs = null;

/** A new code does not compile before somebody has decided about it. */
const help: Readonly<Record<ErrorCode, string | null>> = {
  invalid: 'Correct these fields, and try again.',
  bad_archive: asItIs,
  unauthenticated: 'Sign in again.',
  forbidden: asItIs,
  no_organization: 'The administrator of the issuer puts the organization into the token.',
  organization_unknown: asItIs,
  insufficient_role: 'Ask somebody with the role that the message names.',
  outside_project: asItIs,
  limit_reached: asItIs,
  project_managed_by_platform: asItIs,
  not_found: 'The server may be older than what asks it.',
  resource_not_found: 'Check its name, your organization and your project.',
  object_not_found: 'Correct what identifies the object, or the settings of the provider.',
  object_taken: 'Use that resource, or delete it first.',
  project_not_found: asItIs,
  project_exists: asItIs,
  project_in_use: asItIs,
  build_not_found: asItIs,
  not_deployed: asItIs,
  no_previous_container: 'Read the present log. The dead letter of an event has its error.',
  dead_letter_not_found: asItIs,
  receipt_not_found: asItIs,
  registry_not_found: asItIs,
  dead_letter_superseded: asItIs,
  build_not_successful: asItIs,
  provider_in_use: 'Delete its resources first, or delete the provider with its resources.',
  provider_deleting: asItIs,
  schemas_break: 'Change the resources or the schemas, or repeat it without the check.',
  type_in_use:
    'Delete their resources first, deploy a version that has the types, or retire them: then their resources stay readable.',
  type_retired: asItIs,
  migration_failed: 'Correct the config, or the migration in the code of the provider.',
  settings_refused: 'Correct the values, and set them again.',
  unknown_type: asItIs,
  method_not_allowed: 'The server may be older than what asks it.',
  resource_busy: asItIs,
  resource_deleting: asItIs,
  resource_committed: 'Apply it as pending and without adopt, or delete the resource first.',
  resource_in_use: 'Delete those resources first, or delete it by force.',
  resource_protected: 'Lift the protection first, if it may go.',
  deletion_failed:
    'Repair the cause, and delete it again; or delete it by force, and clean up what the orphan receipt records.',
  not_observable: asItIs,
  not_listable: asItIs,
  identity_taken: asItIs,
  project_immutable: asItIs,
  conflict: 'Try again, unless the message names another cause.',
  set_not_found: 'Check its name and your project.',
  set_busy: 'Try again in half a minute.',
  owned_by_set: 'Take it over, or leave it out.',
  plan_required: 'Look at the plan first, and approve it.',
  plan_stale: 'Make the plan again, and approve the new one.',
  set_incomplete: 'Do the same again: it finishes what is left.',
  precondition_failed: 'Look at the present version, and try again.',
  too_large: 'Send less.',
  unsupported_media_type: 'The server may be older than what asks it.',
  too_many_requests: 'Wait a moment, and try again.',
  unavailable: 'Try again in a moment. When it persists, ask an administrator.',
  bad_request: 'A proxy before Fairlead may have changed the request.',
  headers_too_large: 'The token is too large: it may name too many groups.',
  request_timeout: asItIs,
  misdirected_request: asItIs,
  cross_origin: asItIs,
};

/**
 * @param code of the answer; a server that is newer may use one that is unknown here
 * @param given the advice of the answer
 */
export function errorHelp(code: string | undefined, given: string | undefined): string | undefined {
  const own = code !== undefined && Object.hasOwn(help, code) ? help[code as ErrorCode] : undefined;
  return own ?? given;
}
