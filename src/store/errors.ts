// Translates errors of the API server to errors for callers. Stores throw the former; the HTTP server translates what it answers.
import { FairleadError } from '../domain/errors.ts';
import { hasReason, KubeError, type KubeReason } from '../kube/errors.ts';

const unavailableReasons: readonly KubeReason[] = [
  'unavailable',
  'timeout',
  'aborted',
  'malformed',
  'tooManyRequests',
  'unauthorized',
  'forbidden',
];

/** Returns whether the API server did not answer, or refused for a cause that passes: rights follow a moment after an upgrade. */
export function isUnavailable(thrown: unknown): thrown is KubeError {
  return hasReason(thrown, ...unavailableReasons);
}

/** @param limit as the API server or a setting formats it  @param setting name of a field of `limits` of an Organization */
export function limitReached(
  limit: string,
  setting: 'resources' | 'resourceBytes',
  options: { cause?: unknown } = {},
): FairleadError {
  const message = `The organization has reached its limit of ${limit}; delete some, or ask the administrator to raise limits.${setting} of the organization`;
  return new FairleadError('limit_reached', message, options);
}

// Where an Organization sets the limit itself, Kubernetes counts too, for every writer.
const quotaOfResources = /exceeded quota: .*limited: .*\bcount\/resources\.fairlead\.dev=(\w+)/;

/** @returns the error for the caller, or the thrown value itself when it is a defect of ours. */
export function translateKubeError(thrown: unknown): unknown {
  if (!(thrown instanceof KubeError)) return thrown;
  if (thrown.reason === 'tooLarge') {
    return new FairleadError('too_large', 'The object is too large to be stored; make it smaller', {
      cause: thrown,
    });
  }
  const [, max] = quotaOfResources.exec(thrown.message) ?? [];
  if (thrown.reason === 'forbidden' && max !== undefined) {
    return limitReached(`${max} resources`, 'resources', { cause: thrown });
  }
  if (thrown.reason === 'conflict' || thrown.reason === 'alreadyExists') {
    return new FairleadError(
      'conflict',
      'Another client changed the object at the same time; try again',
      {
        cause: thrown,
      },
    );
  }
  if (isUnavailable(thrown)) {
    const retryAfter = Math.max(1, Math.ceil((thrown.retryAfterMs ?? 1_000) / 1_000));
    return new FairleadError('unavailable', 'The storage is unavailable; try again', {
      cause: thrown,
      retryAfter,
    });
  }
  return thrown;
}
