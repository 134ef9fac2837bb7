// A client whose writes require the lease: a process that wakes from a long sleep must not write before it notices.
import type { KubeClient } from '../api.ts';
import { KubeError } from '../errors.ts';
import type { LeaderElection } from './leader.ts';

/** A write begins only while at least this much of the lease is left: time to reach the API server. */
const defaultMarginMs = 3_000;

/** @throws KubeError `aborted` when less than the margin of the lease is left; call it right before an effect */
export function requireLease(
  election: Pick<LeaderElection, 'remainingMs'>,
  marginMs = defaultMarginMs,
): void {
  const left = election.remainingMs();
  if (left > 0 && left >= marginMs) return;
  throw new KubeError({ reason: 'aborted', message: 'This process is not the leader' });
}

/** @returns a client whose writes throw KubeError `aborted` when the lease is not certainly ours; reads always pass */
export function whileLeading(
  client: KubeClient,
  election: Pick<LeaderElection, 'remainingMs'>,
  marginMs = defaultMarginMs,
): KubeClient {
  async function guarded<T>(write: () => Promise<T>): Promise<T> {
    requireLease(election, marginMs);
    return await write();
  }
  return {
    get: (kind, ref, options) => client.get(kind, ref, options),
    list: (kind, options) => client.list(kind, options),
    create: (kind, object, options) => guarded(() => client.create(kind, object, options)),
    replace: (kind, object, options) => guarded(() => client.replace(kind, object, options)),
    replaceStatus: (kind, object, options) =>
      guarded(() => client.replaceStatus(kind, object, options)),
    patch: (kind, ref, patch, options) => guarded(() => client.patch(kind, ref, patch, options)),
    apply: (kind, object, options) => guarded(() => client.apply(kind, object, options)),
    delete: (kind, ref, options) => guarded(() => client.delete(kind, ref, options)),
    raw: (path, options) => client.raw(path, options),
    close: () => client.close(),
  };
}
