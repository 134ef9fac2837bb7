// Reads and writes the record of a Lease with version checks, and decides whether a candidate may take it. Times in it come
// from the clocks of others: they are for display and never compared.
import type { Clock } from '../../lib/clock.ts';
import type { KindRef, KubeClient, KubeObject, ObjectRef, RequestOptions } from '../api.ts';
import { hasReason, mustLookAgain } from '../errors.ts';

export const leaseKind: KindRef = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

interface LeaseSpec {
  readonly holderIdentity?: string | undefined;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

export interface Leases {
  /** @returns the record, or undefined when there is none; throws KubeError */
  read(options?: RequestOptions): Promise<Lease | undefined>;
  /**
   * Replaces exactly the record that was read; without one, creates it.
   * @throws KubeError `conflict` or `alreadyExists` after a concurrent write
   */
  write(read: Lease | undefined, spec: LeaseSpec, options?: RequestOptions): Promise<Lease>;
}

/** @param annotations are part of every written record */
export function createLeases(
  client: KubeClient,
  ref: Required<ObjectRef>,
  annotations: Readonly<Record<string, string>> = {},
): Leases {
  return {
    async read(options) {
      try {
        return await client.get<Lease>(leaseKind, ref, options);
      } catch (thrown) {
        if (hasReason(thrown, 'notFound')) return undefined;
        throw thrown;
      }
    },
    write(read, spec, options) {
      if (read !== undefined) {
        const { metadata } = read;
        const merged = { ...metadata, annotations: { ...metadata.annotations, ...annotations } };
        const next = { ...read, metadata: merged, spec: { ...read.spec, ...spec } };
        return client.replace<Lease>(leaseKind, next, options);
      }
      const { name, namespace = '' } = ref;
      const first = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace, annotations },
        spec,
      };
      return client.create<Lease>(leaseKind, first, options);
    },
  };
}

/** The API server expects six digits in these fields and answers 400 to the three of `toISOString`. */
export function microTime(at: Date): string {
  return at.toISOString().replace('Z', '000Z');
}

/** The number of a term. It grows with every acquisition, also by the same holder, whose last process may still run. */
export function fencingTokenOf(lease: Lease | undefined): number {
  return lease?.spec?.leaseTransitions ?? 0;
}

/** The result of a write: done, another holder has the lease, no record exists, or the write is not visible (yet). */
type LeaseWrite = 'done' | 'taken' | 'gone' | 'missing';

interface OwnRecord {
  /** Writes our record, or reads it to find the outcome; throws KubeError when it certainly changed nothing. */
  write(spec: LeaseSpec, options: RequestOptions): Promise<LeaseWrite>;
}

/** The record of one term. After an unknown outcome it is read again; a deleted one is created anew. */
export function createOwnRecord(leases: Leases, taken: Lease): OwnRecord {
  let known: Lease | undefined = taken;

  function isOurs(found: Lease): boolean {
    const holds = found.spec?.holderIdentity === taken.spec?.holderIdentity;
    return holds && fencingTokenOf(found) === fencingTokenOf(taken);
  }

  return {
    async write(spec, options) {
      try {
        known = await leases.write(known, { ...taken.spec, ...spec }, options);
        return 'done';
      } catch (thrown) {
        if (!mustLookAgain(thrown)) throw thrown;
      }
      const found = await leases.read(options);
      if (found !== undefined && !isOurs(found)) return 'taken';
      known = found;
      if (found === undefined) return 'gone';
      return found.spec?.renewTime === spec.renewTime ? 'done' : 'missing';
    },
  };
}

export interface Lookout {
  /** Stores the record as it was just read; undefined when there is none. */
  note(lease: Lease | undefined): void;
  /** Returns whether this candidate may take the lease, as of the last `note`. */
  mayTake(): boolean;
  /** Milliseconds for which the record was seen unchanged. */
  unchangedMs(): number;
}

interface LookoutOptions {
  readonly identity: string;
  readonly clock: Clock;
  /** How long a holder may be silent, in milliseconds, unless its record sets a longer time. */
  readonly leaseMs: number;
}

/** A holder is silent for as long as its record stays unchanged, measured only by our own monotonic clock. */
export function createLookout({ identity, clock, leaseMs }: LookoutOptions): Lookout {
  let noted: Lease | undefined;
  let changedAt = clock.monotonic();
  return {
    note(lease) {
      const before = noted?.metadata;
      noted = lease;
      if (lease?.metadata.uid === before?.uid) {
        if (lease?.metadata.resourceVersion === before?.resourceVersion) return;
      }
      changedAt = clock.monotonic();
    },
    unchangedMs: () => clock.monotonic() - changedAt,
    mayTake() {
      const { holderIdentity = '', leaseDurationSeconds = 0 } = noted?.spec ?? {};
      // Our own name there belongs to our previous process; a stable identity proves that it has ended.
      if (holderIdentity === '' || holderIdentity === identity) return true;
      return clock.monotonic() - changedAt > Math.max(leaseMs, leaseDurationSeconds * 1_000);
    },
  };
}
