// One catalogue of what can go wrong for a caller. Codes are part of the interface; HTTP statuses live in http/errors.ts.
import type { JsonObject } from '../lib/json.ts';

export const ErrorCode = {
  invalid: 'invalid',
  badArchive: 'bad_archive',
  unauthenticated: 'unauthenticated',
  forbidden: 'forbidden',
  noOrganization: 'no_organization',
  organizationUnknown: 'organization_unknown',
  insufficientRole: 'insufficient_role',
  outsideProject: 'outside_project',
  limitReached: 'limit_reached',
  projectManaged: 'project_managed_by_platform',
  notFound: 'not_found',
  resourceNotFound: 'resource_not_found',
  projectNotFound: 'project_not_found',
  projectExists: 'project_exists',
  projectInUse: 'project_in_use',
  buildNotFound: 'build_not_found',
  notDeployed: 'not_deployed',
  noPreviousContainer: 'no_previous_container',
  deadLetterNotFound: 'dead_letter_not_found',
  receiptNotFound: 'receipt_not_found',
  deadLetterSuperseded: 'dead_letter_superseded',
  buildNotSuccessful: 'build_not_successful',
  providerInUse: 'provider_in_use',
  providerDeleting: 'provider_deleting',
  schemasBreak: 'schemas_break',
  typeInUse: 'type_in_use',
  typeRetired: 'type_retired',
  methodNotAllowed: 'method_not_allowed',
  resourceBusy: 'resource_busy',
  resourceDeleting: 'resource_deleting',
  resourceCommitted: 'resource_committed',
  resourceInUse: 'resource_in_use',
  deletionFailed: 'deletion_failed',
  identityTaken: 'identity_taken',
  projectImmutable: 'project_immutable',
  conflict: 'conflict',
  preconditionFailed: 'precondition_failed',
  tooLarge: 'too_large',
  unsupportedMediaType: 'unsupported_media_type',
  tooManyRequests: 'too_many_requests',
  unavailable: 'unavailable',
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** One broken rule of a request: where (`loc`), what (`msg`), which rule (`type`), as in a 422 body. */
export interface Violation {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

interface FailureOptions {
  readonly cause?: unknown;
  readonly retryAfter?: number;
  readonly help?: string;
  readonly context?: JsonObject;
}

/** A failure the caller is told about in these very words: no path, token, stack or foreign data in `message`. */
export class FairleadError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;
  /** What the caller can do, in one sentence; by default that of the code. */
  readonly help: string | undefined;
  /** The facts of the message, for programs. */
  readonly context: JsonObject | undefined;

  constructor(code: ErrorCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FairleadError';
    this.code = code;
    this.retryAfter = options.retryAfter;
    this.help = options.help;
    this.context = options.context;
  }
}

/** A request that breaks rules; every rule that was found broken is listed. */
export class InvalidRequest extends FairleadError {
  readonly violations: readonly Violation[];

  constructor(
    violations: readonly Violation[],
    {
      code = ErrorCode.invalid,
      ...options
    }: Pick<FailureOptions, 'cause' | 'context'> & { readonly code?: ErrorCode } = {},
  ) {
    const message = violations.map((v) => `${v.loc.join('.')}: ${v.msg}`).join('; ');
    super(code, message, options);
    this.name = 'InvalidRequest';
    this.violations = violations;
  }
}

/** A token was sent, and is not accepted. Why is of use to attackers first. */
export class InvalidToken extends FairleadError {
  constructor() {
    super(ErrorCode.unauthenticated, 'Not authenticated');
    this.name = 'InvalidToken';
  }
}
