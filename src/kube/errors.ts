// Errors of the API server and of the connection to it, without bodies, headers or tokens.

export type KubeReason =
  | 'notFound'
  | 'alreadyExists'
  | 'conflict'
  | 'gone'
  | 'invalid'
  | 'badRequest'
  | 'unauthorized'
  | 'forbidden'
  | 'tooManyRequests'
  | 'tooLarge'
  | 'unavailable'
  | 'timeout'
  | 'aborted'
  | 'malformed'
  | 'unexpected';

export interface KubeErrorInit {
  readonly reason: KubeReason;
  readonly message: string;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly outcome?: 'refused' | 'unknown';
  readonly detail?: KubeDetail | undefined;
  readonly continueToken?: string | undefined;
}

/** The cause of a refusal where the reason alone does not suggest a remedy. */
export type KubeDetail = 'quotaExceeded' | 'namespaceTerminating';

export class KubeError extends Error {
  readonly reason: KubeReason;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** `unknown`: a write may have happened without a response. `refused`: it certainly did not. */
  readonly outcome: 'refused' | 'unknown';
  readonly detail: KubeDetail | undefined;
  /** With `gone`: continues an expired list where it stopped, with the state of now. */
  readonly continueToken: string | undefined;

  constructor({ reason, message, status, outcome = 'refused', ...more }: KubeErrorInit) {
    super(message);
    this.name = 'KubeError';
    this.reason = reason;
    this.status = status;
    this.retryAfterMs = more.retryAfterMs;
    this.outcome = outcome;
    this.detail = more.detail;
    this.continueToken = more.continueToken;
  }
}

export function hasReason(thrown: unknown, ...reasons: readonly KubeReason[]): thrown is KubeError {
  return thrown instanceof KubeError && reasons.includes(thrown.reason);
}

/** @returns false when the object exists already */
export async function unlessExists(create: () => Promise<unknown>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (thrown) {
    if (hasReason(thrown, 'alreadyExists')) return false;
    throw thrown;
  }
}

/** Returns whether the outcome of a write is unknown. */
export function isUnknown(thrown: unknown): thrown is KubeError {
  return thrown instanceof KubeError && thrown.outcome === 'unknown';
}

/** Returns whether a write lost a race or has an unknown outcome: read again, decide again. */
export function mustLookAgain(thrown: unknown): boolean {
  return isUnknown(thrown) || hasReason(thrown, 'alreadyExists', 'conflict', 'notFound');
}

/** An unusable kubeconfig; the message contains the reason. */
export class ClusterConfigError extends Error {
  override readonly name = 'ClusterConfigError';
}
