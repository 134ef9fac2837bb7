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
}

/** What a refusal rests on, where the reason alone does not say what would help. */
export type KubeDetail = 'quotaExceeded' | 'namespaceTerminating';

export class KubeError extends Error {
  readonly reason: KubeReason;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** `unknown`: a write may have happened although no answer was had. `refused`: it certainly did not. */
  readonly outcome: 'refused' | 'unknown';
  readonly detail: KubeDetail | undefined;

  constructor({ reason, message, status, outcome = 'refused', ...more }: KubeErrorInit) {
    super(message);
    this.name = 'KubeError';
    this.reason = reason;
    this.status = status;
    this.retryAfterMs = more.retryAfterMs;
    this.outcome = outcome;
    this.detail = more.detail;
  }
}

export function hasReason(thrown: unknown, ...reasons: readonly KubeReason[]): thrown is KubeError {
  return thrown instanceof KubeError && reasons.includes(thrown.reason);
}

/** Whether nobody can say if the write happened. */
export function isUnknown(thrown: unknown): boolean {
  return thrown instanceof KubeError && thrown.outcome === 'unknown';
}

/** Whether a write lost to another one, or nobody can say if it happened: look again, decide again. */
export function mustLookAgain(thrown: unknown): boolean {
  return isUnknown(thrown) || hasReason(thrown, 'alreadyExists', 'conflict', 'notFound');
}

/** A kubeconfig that cannot be used; the message says why. */
export class ClusterConfigError extends Error {
  override readonly name = 'ClusterConfigError';
}
