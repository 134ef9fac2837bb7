// Detects passes that repeatedly fail in the same way: counts equal failures of a key and reports the cause in one word and
// one sentence. Transient failures are never counted.
import { FairleadError } from '../domain/errors.ts';
import type { Key, Stall, StallReason } from './api.ts';
import { hasReason, KubeError, type KubeReason } from './errors.ts';

/** After so many equal failures in a row the next pass is not expected to succeed. */
const stallAfter = 5;

/** Reasons that end without intervention, or come from an old view. */
const passing: readonly KubeReason[] = [
  'unavailable',
  'timeout',
  'tooManyRequests',
  'aborted',
  'gone',
  'conflict',
  'alreadyExists',
  'notFound',
];

export interface Repeats {
  /** @returns the stall to report for the key, from the fifth equal failure on */
  failed(key: Key, thrown: unknown): Stall | undefined;
  succeeded(key: Key): void;
}

export function createRepeats(): Repeats {
  const counts = new Map<Key, { readonly same: string; readonly failures: number }>();
  return {
    failed(key, thrown) {
      if (hasReason(thrown, ...passing) || isBusy(thrown)) return undefined;
      const said = stallOf(thrown);
      // Different counts and names do not make a different failure.
      const same = `${said.reason} ${said.message.replace(/\d+/g, '0')}`;
      const before = counts.get(key);
      const failures = before?.same === same ? before.failures + 1 : 1;
      counts.set(key, { same, failures });
      return failures >= stallAfter ? { ...said, failures } : undefined;
    },
    succeeded: (key) => void counts.delete(key),
  };
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof FairleadError && thrown.code === 'unavailable';
}

/** Without stacks, and without the values that the API server quotes when they are invalid: they may be secrets. */
function stallOf(thrown: unknown): { readonly reason: StallReason; readonly message: string } {
  if (thrown instanceof FairleadError)
    return { reason: 'ReconcileFailed', message: thrown.message };
  if (!(thrown instanceof KubeError)) return other;
  if (thrown.detail === 'quotaExceeded') {
    const message = `A quota of the namespace is exceeded: ${thrown.message}. Delete unused objects, or ask an administrator to raise the limit`;
    return { reason: 'QuotaExceeded', message };
  }
  if (thrown.detail === 'namespaceTerminating') {
    const message = 'The namespace is being deleted; no objects can be created in it';
    return { reason: 'NamespaceTerminating', message };
  }
  if (thrown.reason === 'forbidden') {
    const message = `The API server rejects a required write: ${thrown.message}`;
    return { reason: 'Forbidden', message };
  }
  if (refused.includes(thrown.reason)) {
    const message = 'The API server rejects a required write as invalid; see the controller log';
    return { reason: 'Invalid', message };
  }
  return other;
}

const refused: readonly KubeReason[] = ['invalid', 'badRequest', 'tooLarge'];

const other = {
  reason: 'ReconcileFailed',
  message: 'Reconciling fails repeatedly; see the controller log',
} as const;
