// The exit code and the command that helps after an error of the API. By default the status decides about the first, and the second
// is the advice for people.
import type { ErrorCode } from '../../../api/errors.ts';
import { errorHelp } from '../../../client/words/error-help.ts';
import { shell } from '../../../client/words/shell-word.ts';
import { parseResourceAddress } from '../../../domain/identity.ts';
import { ExitCode, exitCodeOfStatus } from '../exit-codes.ts';

interface Advice {
  readonly exit: ExitCode;
  /** A command, or a sentence that ends with one. */
  readonly next?: string;
}

/** The subject of a request. */
export interface CommandSubject {
  readonly provider?: string | undefined;
  /** As it was named. */
  readonly resource?: string | undefined;
  readonly project?: string | undefined;
}

/** Facts of an answer. */
type ErrorContext = Readonly<Record<string, unknown>>;

interface AdviceRow {
  readonly exit?: ExitCode;
  readonly next?: string | ((subject: CommandSubject, context: ErrorContext) => string | undefined);
}

const whoami = 'Your organization and role: fairlead whoami';
const resources = 'The resources that exist: fairlead get';
const builds = ({ provider }: CommandSubject) => provider && shell`fairlead build list ${provider}`;

const typeCommand = ({ resource = '' }: CommandSubject) => {
  const tuple = parseResourceAddress(resource)?.tuple;
  return tuple && shell`Its type: fairlead type get ${tuple.provider}/${tuple.resource}`;
};

const rows: { readonly [code in ErrorCode]?: AdviceRow } = {
  bad_archive: { next: 'The files that are sent: fairlead push --list' },
  unauthenticated: { next: 'fairlead login' },
  forbidden: { next: whoami },
  no_organization: { next: 'The claims of the token: fairlead doctor' },
  organization_unknown: { next: whoami },
  insufficient_role: { next: whoami },
  outside_project: { next: whoami },
  limit_reached: { next: 'Limits and usage: fairlead whoami' },
  project_managed_by_platform: { next: 'fairlead project list' },
  not_found: { next: 'The versions of both: fairlead version' },
  method_not_allowed: { next: 'The versions of both: fairlead version' },
  unsupported_media_type: { next: 'The versions of both: fairlead version' },
  resource_not_found: { next: resources },
  project_not_found: { next: 'fairlead project list' },
  project_exists: { next: 'fairlead project list' },
  project_in_use: { next: 'fairlead get --all-projects' },
  build_not_found: { next: builds },
  no_previous_container: {
    next: ({ provider }) => provider && shell`The present log: fairlead logs ${provider}`,
  },
  not_deployed: {
    next: ({ provider }, { hosted }) =>
      hosted === false ? undefined : provider && shell`fairlead deploy ${provider}`,
  },
  dead_letter_not_found: { next: 'fairlead dead-letters list' },
  receipt_not_found: { next: 'fairlead receipts list' },
  registry_not_found: { next: 'fairlead provider registry list' },
  dead_letter_superseded: { next: 'fairlead dead-letters list' },
  build_not_successful: { next: builds },
  provider_in_use: {
    next: ({ provider }) =>
      provider && shell`With its resources: fairlead provider delete ${provider} --cascade`,
  },
  provider_deleting: { next: 'fairlead provider list' },
  schemas_break: { next: 'Change the resources or the schemas, or run it without --strict.' },
  type_in_use: { next: 'Keep their resources as they are: --retire-types' },
  type_retired: {
    exit: ExitCode.conflict,
    next: ({ provider }) =>
      provider && shell`Deploy a version that has the type: fairlead build list ${provider}`,
  },
  set_not_found: { next: 'The sets of the project: fairlead sets' },
  set_busy: { next: 'Run the same command again, in half a minute at most.' },
  resource_in_use: {
    next: ({ resource }) => resource && shell`Its users: fairlead why ${resource} --users`,
  },
  resource_protected: {
    next: ({ resource }, { resources: named }) => {
      const names = Array.isArray(named) && named.length > 0 ? named : [resource];
      return names[0] && shell`If it may go: fairlead unprotect ${names}`;
    },
  },
  resource_committed: { next: 'Delete it first, or apply it without --draft and adopt.' },
  not_observable: { next: typeCommand },
  not_listable: { next: 'Import each object by what identifies it, such as its id.' },
  identity_taken: { next: resources },
  conflict: { next: 'Run the same command again.' },
  deletion_failed: {
    exit: ExitCode.failed,
    next: ({ resource }) => resource && shell`The cause: fairlead why ${resource}`,
  },
  precondition_failed: {
    next: ({ resource }) => resource && shell`Read it again: fairlead get ${resource} -o yaml`,
  },
  too_many_requests: { next: 'Run the same command again later.' },
  unavailable: { next: 'fairlead doctor' },
};

interface AnsweredError {
  /** A server that is newer than the client may use one that it lacks. */
  readonly code: ErrorCode | undefined;
  readonly status: number;
  /** Advice of the API. */
  readonly help?: string | undefined;
  readonly context?: ErrorContext;
}

export function adviceFor(
  { code, status, help, context = {} }: AnsweredError,
  subject: CommandSubject,
): Advice {
  const { exit = exitCodeOfStatus(status), next } = (code && rows[code]) ?? {};
  const command = typeof next === 'function' ? next(subject, context) : next;
  const advised = command ?? errorHelp(code, help) ?? otherwise(exit);
  return { exit, ...(advised === undefined ? {} : { next: advised }) };
}

function otherwise(exit: ExitCode): string | undefined {
  return exit === ExitCode.unreachable ? 'fairlead doctor' : undefined;
}
