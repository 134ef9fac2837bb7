// Errors for callers, which are thrown. Their codes are those of `api/errors.ts`.
import type { ErrorCode } from '../api/errors.ts';
import type { JsonObject } from '../lib/json.ts';

/** One broken rule of a request: where (`loc`), what (`msg`), which rule (`type`), as in a 422 body. */
export interface Violation {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

interface FairleadErrorOptions {
  readonly cause?: unknown;
  readonly retryAfter?: number;
  readonly help?: string;
  readonly context?: JsonObject;
}

/** A failure whose message is sent to the caller as it is: no path, token, stack or foreign data in `message`. */
export class FairleadError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;
  /** A sentence about what the caller can do; by default that of the code. */
  readonly help: string | undefined;
  /** The facts of the message, for programs. */
  readonly context: JsonObject | undefined;

  constructor(code: ErrorCode, message: string, options: FairleadErrorOptions = {}) {
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
      code = 'invalid',
      ...options
    }: Pick<FairleadErrorOptions, 'cause' | 'context'> & { readonly code?: ErrorCode } = {},
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
    super('unauthenticated', 'Not authenticated');
    this.name = 'InvalidToken';
  }
}

/** Fairlead cannot start. The message is one sentence for the person at the terminal; no stack is shown. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
