// Divides shards evenly among replicas that do not talk to each other: each one decides from the Leases that all of them read.
// Two that decide at the same time are separated by the resource versions of the Leases, and the next look evens them out.
import { sum } from '../../lib/numbers.ts';

/** The visible state of the Lease of one shard. */
export interface ShardLease {
  readonly holder: string | undefined;
  /** True when the holder has not renewed it for the lease time: the shard is free, and the holder is not running. */
  readonly isExpired: boolean;
  /** Milliseconds for which this replica has seen the shard free or expired; 0 when it is held. */
  readonly freeMs: number;
}

export interface Division {
  /** Shards that this replica may take now. */
  readonly mayTake: ReadonlySet<number>;
  /** How many of its shards this replica gives to others now. */
  readonly surplus: number;
}

interface ShardSituation {
  readonly identity: string;
  /** By number of the shard. */
  readonly leases: readonly ShardLease[];
  /** Identities of the replicas that take part, including those without a shard. */
  readonly members: ReadonlySet<string>;
}

/** A shard that the replicas with fewer shards leave free for this long may be taken by every replica. */
export const unclaimedMs = 6_000;

export function divide({ identity, leases, members }: ShardSituation): Division {
  const held = countShards(identity, leases, members);
  const mine = held.get(identity) ?? 0;
  const share = Math.ceil(leases.length / held.size);
  const free = [...leases.keys()].filter((shard) => isFreeShard(leases[shard]));
  const unclaimed = free.filter((shard) => (leases[shard]?.freeMs ?? 0) > unclaimedMs);
  const missing = missingOf(held, Math.floor(leases.length / held.size));
  const mineMissing = missing.get(identity) ?? 0;
  // Replicas that have less than everybody may take theirs first.
  const spare = Math.max(0, free.length - sum(missing.values()));
  const room = Math.max(0, Math.min(share - mine, mineMissing + spare));
  const first = Math.floor((leases.length * replicaRank(identity, held)) / held.size);
  const inOrder = free.toSorted((left, right) => distance(first, left) - distance(first, right));
  return {
    mayTake: new Set([...inOrder.slice(0, room), ...unclaimed]),
    surplus: free.length > 0 ? 0 : surplusShards(identity, held, share),
  };

  /** Replicas begin at different shards, so that they seldom try to take the same one. */
  function distance(from: number, shard: number): number {
    return (shard - from + leases.length) % leases.length;
  }
}

/** The number of shards of each replica that runs. */
function countShards(
  identity: string,
  leases: readonly ShardLease[],
  members: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const gone = new Set(leases.filter((each) => each.isExpired).map(({ holder }) => holder));
  const held = new Map<string, number>([[identity, 0]]);
  for (const member of members) if (!gone.has(member)) held.set(member, 0);
  for (const { holder, isExpired } of leases) {
    if (holder !== undefined && !isExpired) held.set(holder, (held.get(holder) ?? 0) + 1);
  }
  return held;
}

/** How many shards each replica has less than all could have. */
function missingOf(held: ReadonlyMap<string, number>, even: number): ReadonlyMap<string, number> {
  return new Map([...held].map(([name, count]) => [name, Math.max(0, even - count)]));
}

function isFreeShard(lease: ShardLease | undefined): boolean {
  return lease?.holder === undefined || lease.isExpired;
}

function replicaRank(identity: string, held: ReadonlyMap<string, number>): number {
  return [...held.keys()].toSorted().indexOf(identity);
}

function surplusShards(identity: string, held: ReadonlyMap<string, number>, share: number): number {
  const mine = held.get(identity) ?? 0;
  if (mine > share) return mine - share;
  const counts = [...held.values()];
  const isUneven = mine - Math.min(...counts) > 1;
  // One of several with the most shards gives; the next look decides about the others.
  const most = [...held].filter(([, count]) => count === Math.max(...counts)).map(([name]) => name);
  return isUneven && most.toSorted()[0] === identity ? 1 : 0;
}
