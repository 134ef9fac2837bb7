// The shards that this process may take and those that it gives to others, by reading the Leases of all shards.

import type { LeaseTimes } from '../../kube/leader/lease-term.ts';
import { type Division, divide } from '../../kube/leader/shard-division.ts';
import type { ShardLeases } from '../../kube/leader/shard-leases.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

export interface ShardShareOptions {
  readonly leases: ShardLeases;
  readonly identity: string;
  readonly shards: number;
  /** Identities of the processes that share the shards. */
  readonly members: () => ReadonlySet<string>;
  readonly times: LeaseTimes;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this process leads a shard. */
  readonly leads: (shard: number) => boolean;
  /** How much goes on in the background of a shard; its next leader begins it again. */
  readonly backgroundOf: (shard: number) => number;
}

export interface ShardShare {
  /** Returns whether this process may take a shard now. @throws KubeError */
  isWilling(shard: number): Promise<boolean>;
  /** Returns whether it may keep a shard that it has just taken. @throws KubeError */
  isConfirmed(): Promise<boolean>;
  /** @returns the shards to give up now; none when the Leases cannot be read */
  surplus(): Promise<readonly number[]>;
}

export function createShardShare(options: ShardShareOptions): ShardShare {
  const { leases, identity, shards, members, times, clock, log, leads, backgroundOf } = options;
  /** The elections of several shards share a look that is not older. */
  const freshMs = times.retryMs / 2;
  let looked: { readonly at: number; readonly done: Promise<void> } | undefined;
  let reported: string | undefined;
  let unevenSince: number | undefined;

  /** @param ageMs maximum age of the answer */
  async function look(ageMs: number): Promise<void> {
    const now = clock.monotonic();
    if (looked === undefined || now - looked.at >= ageMs) looked = { at: now, done: leases.look() };
    await looked.done;
    const { otherDivision } = leases;
    if (otherDivision !== reported && otherDivision !== undefined) {
      const lease = otherDivision;
      log.info({ identity, lease, shards }, 'Waiting for a process with another number of shards');
    }
    reported = otherDivision;
  }

  function division(): Division {
    return divide({ identity, leases: leases.read(leads), members: members() });
  }

  function led(): readonly number[] {
    return Array.from({ length: shards }, (_, shard) => shard).filter(leads);
  }

  /** Not at once: a replica that has just ended still counts as one of those that share. */
  function uneven(): readonly number[] {
    const { surplus } = division();
    const now = clock.monotonic();
    unevenSince = surplus === 0 ? undefined : (unevenSince ?? now);
    if (unevenSince === undefined || now - unevenSince < 2 * times.leaseMs) return [];
    unevenSince = undefined;
    const last = led().toReversed();
    return last.toSorted((one, other) => backgroundOf(one) - backgroundOf(other)).slice(0, surplus);
  }

  return {
    /** The only shard is led as long as anybody leads at all: its Lease alone decides. */
    async isWilling(shard) {
      if (shards === 1) return true;
      await look(freshMs);
      return leases.otherDivision === undefined && division().mayTake.has(shard);
    },
    /** Two processes with different numbers of shards may take Leases at the same time; at least one reads the other's. */
    async isConfirmed() {
      await look(0);
      return leases.otherDivision === undefined;
    },
    /** All of them to a process that divides the namespaces differently. */
    async surplus() {
      try {
        await look(freshMs);
      } catch {
        // The next look is soon enough; without the API server the Leases are lost by themselves.
        return [];
      }
      return leases.otherDivision === undefined ? uneven() : led();
    },
  };
}
