// The exit code and the command that helps after an error of the API. By default the status decides about the first, and the `help`
// of the answer is the second.
import type { ErrorCode } from '../../api/errors.ts';
import { ExitCode, exitCodeOfStatus } from '../exit-codes.ts';

export interface Advice {
  readonly exit: ExitCode;
  /** A command, or a sentence that ends with one. */
  readonly next?: string;
}

const whoami = 'Your organization and role: fairlead whoami';
const resources = 'The resources that exist: fairlead get';

const advice: { readonly [code in ErrorCode]?: Partial<Advice> } = {
  bad_archive: { next: 'What is sent: fairlead push --list' },
  unauthenticated: { next: 'fairlead login' },
  forbidden: { next: whoami },
  no_organization: { next: 'The claims of the token: fairlead doctor' },
  organization_unknown: { next: whoami },
  insufficient_role: { next: whoami },
  outside_project: { next: whoami },
  limit_reached: { next: 'Limits and usage: fairlead whoami' },
  project_managed_by_platform: { next: 'fairlead project list' },
  resource_not_found: { next: resources },
  project_not_found: { next: 'fairlead project list' },
  project_exists: { next: 'fairlead project list' },
  project_in_use: { next: 'fairlead get --all-projects' },
  build_not_found: { next: 'fairlead build list PROVIDER' },
  no_previous_container: { next: 'The present log: fairlead logs PROVIDER' },
  not_deployed: { next: 'fairlead deploy PROVIDER' },
  dead_letter_not_found: { next: 'fairlead dead-letters list' },
  receipt_not_found: { next: 'fairlead receipts list' },
  dead_letter_superseded: { next: 'fairlead dead-letters list' },
  build_not_successful: { next: 'fairlead build list PROVIDER' },
  provider_in_use: { next: 'Its resources: fairlead get PROVIDER' },
  provider_deleting: { next: 'fairlead provider list' },
  type_in_use: { next: 'Keep their resources as they are: --retire-types' },
  type_retired: {
    exit: ExitCode.conflict,
    next: 'Deploy a version that has the type: fairlead deploy PROVIDER VERSION',
  },
  identity_taken: { next: resources },
  conflict: { next: 'Run the same command again.' },
  deletion_failed: { exit: ExitCode.failed, next: 'The cause: fairlead why RESOURCE' },
  precondition_failed: { next: 'Read it again: fairlead get RESOURCE -o yaml' },
  too_many_requests: { next: 'Run the same command again later.' },
  unavailable: { next: 'fairlead doctor' },
};

/** @param code of the answer; a server that is newer than the client may use one that it lacks */
export function adviceFor(code: ErrorCode | undefined, status: number): Advice {
  return { exit: exitCodeOfStatus(status), ...(code === undefined ? {} : advice[code]) };
}
