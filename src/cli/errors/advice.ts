// Maps each error code of the API to the exit code and to the command that helps. A code without an entry does not compile.
import type { ErrorCode } from '../../domain/errors.ts';
import { ExitCode } from '../exit-codes.ts';

export interface Advice {
  readonly exit: ExitCode;
  /** A command, or a sentence that ends with one. */
  readonly next?: string;
}

const whoami = 'Your organization and role: fairlead whoami';
const resources = 'The resources that exist: fairlead get';

export const adviceOf: Readonly<Record<ErrorCode, Advice>> = {
  invalid: { exit: ExitCode.usage },
  bad_archive: { exit: ExitCode.usage, next: 'What is sent: fairlead push --list' },
  unauthenticated: { exit: ExitCode.notAllowed, next: 'fairlead login' },
  forbidden: { exit: ExitCode.notAllowed, next: whoami },
  no_organization: { exit: ExitCode.notAllowed, next: 'The claims of the token: fairlead doctor' },
  organization_unknown: { exit: ExitCode.notAllowed, next: whoami },
  insufficient_role: { exit: ExitCode.notAllowed, next: whoami },
  outside_project: { exit: ExitCode.notAllowed, next: whoami },
  limit_reached: { exit: ExitCode.notAllowed, next: 'Limits and usage: fairlead whoami' },
  project_managed_by_platform: { exit: ExitCode.notAllowed, next: 'fairlead project list' },
  not_found: { exit: ExitCode.notFound },
  resource_not_found: { exit: ExitCode.notFound, next: resources },
  project_not_found: { exit: ExitCode.notFound, next: 'fairlead project list' },
  project_exists: { exit: ExitCode.conflict, next: 'fairlead project list' },
  project_in_use: { exit: ExitCode.conflict, next: 'fairlead get --all-projects' },
  build_not_found: { exit: ExitCode.notFound, next: 'fairlead build list PROVIDER' },
  no_previous_container: {
    exit: ExitCode.notFound,
    next: 'The present log: fairlead logs PROVIDER',
  },
  not_deployed: { exit: ExitCode.notFound, next: 'fairlead deploy PROVIDER' },
  dead_letter_not_found: { exit: ExitCode.notFound, next: 'fairlead dead-letters list' },
  receipt_not_found: { exit: ExitCode.notFound, next: 'fairlead receipts list' },
  dead_letter_superseded: { exit: ExitCode.conflict, next: 'fairlead dead-letters list' },
  build_not_successful: { exit: ExitCode.usage, next: 'fairlead build list PROVIDER' },
  provider_in_use: { exit: ExitCode.conflict, next: 'Its resources: fairlead get PROVIDER' },
  provider_deleting: { exit: ExitCode.conflict, next: 'fairlead provider list' },
  schemas_break: { exit: ExitCode.conflict },
  type_in_use: {
    exit: ExitCode.conflict,
    next: 'Keep their resources as they are: --retire-types',
  },
  type_retired: {
    exit: ExitCode.conflict,
    next: 'Deploy a version that has the type: fairlead deploy PROVIDER VERSION',
  },
  method_not_allowed: { exit: ExitCode.usage },
  resource_busy: { exit: ExitCode.conflict },
  resource_deleting: { exit: ExitCode.conflict },
  resource_committed: { exit: ExitCode.conflict },
  resource_in_use: { exit: ExitCode.conflict },
  identity_taken: { exit: ExitCode.conflict, next: resources },
  project_immutable: { exit: ExitCode.conflict },
  conflict: { exit: ExitCode.conflict, next: 'Run the same command again.' },
  deletion_failed: { exit: ExitCode.failed, next: 'The cause: fairlead why RESOURCE' },
  precondition_failed: {
    exit: ExitCode.conflict,
    next: 'Read it again: fairlead get RESOURCE -o yaml',
  },
  too_large: { exit: ExitCode.usage },
  unsupported_media_type: { exit: ExitCode.usage },
  too_many_requests: { exit: ExitCode.unreachable, next: 'Run the same command again later.' },
  unavailable: { exit: ExitCode.unreachable, next: 'fairlead doctor' },
};
