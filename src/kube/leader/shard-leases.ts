// Reads the Leases of all shards at once, and finds which of them may be taken. Replicas that divide the namespaces into
// another number of shards, as in an upgrade, must not work at the same time: their shards overlap.
import type { Clock } from '../../lib/clock.ts';
import type { KubeClient } from '../api.ts';
import { createLookout, type Lease, type Lookout, leaseKind } from './lease-record.ts';
import type { ShardLease } from './shard-division.ts';

interface ShardLeasesOptions {
  readonly client: Pick<KubeClient, 'list' | 'delete'>;
  readonly namespace: string;
  /** Name of the Lease of the first shard; the others append `-1`, `-2` and so on. */
  readonly name: string;
  readonly shards: number;
  /** The annotation with the number of shards under which a Lease was taken. */
  readonly annotation: string;
  readonly identity: string;
  readonly clock: Clock;
  readonly leaseMs: number;
}

export interface ShardLeases {
  /** Reads all Leases. @throws KubeError */
  look(): Promise<void>;
  /** The Leases as of the last look. @param isHeldHere whether this process holds the Lease of a shard */
  read(isHeldHere: (shard: number) => boolean): readonly ShardLease[];
  /** Name of a Lease that a replica with another number of shards holds, as of the last look. */
  readonly otherDivision: string | undefined;
  /** Deletes the Leases of shards that do not exist any more, unless they are held. @throws KubeError */
  removeOthers(): Promise<void>;
  /** Shared with the election of the shard, which need not wait for the lease time again. */
  lookout(shard: number): Lookout;
}

const timeoutMs = 5_000;

/** @returns the name of the Lease of a shard */
export function leaseNameOf(name: string, shard: number): string {
  return shard === 0 ? name : `${name}-${shard}`;
}

export function createShardLeases(options: ShardLeasesOptions): ShardLeases {
  const { client, namespace, name, shards, annotation, identity, clock, leaseMs } = options;
  const lookouts = new Map<string, Lookout>();
  const names = Array.from({ length: shards }, (_, shard) => leaseNameOf(name, shard));
  let known = new Map<string, Lease>();

  function lookoutOf(lease: string): Lookout {
    const found = lookouts.get(lease) ?? createLookout({ identity, clock, leaseMs });
    lookouts.set(lease, found);
    return found;
  }

  function isOfShard(lease: string): boolean {
    return lease === name || /^-\d+$/.test(lease.slice(name.length));
  }

  function leaseState(lease: string, isHeldHere: boolean): ShardLease {
    const lookout = lookoutOf(lease);
    const holder = known.get(lease)?.spec?.holderIdentity || undefined;
    const isFree = holder === undefined || (lookout.mayTake() && !isHeldHere);
    return {
      // A record with our name that this process does not hold is of our previous process, which has ended.
      holder: holder === identity && !isHeldHere ? undefined : holder,
      isExpired: isFree && holder !== undefined && holder !== identity,
      freeMs: isFree ? lookout.unchangedMs() : 0,
    };
  }

  return {
    async look() {
      const { items } = await client.list<Lease>(leaseKind, { namespace, timeoutMs });
      const leases = items.filter((each) => isOfShard(each.metadata.name));
      known = new Map(leases.map((each) => [each.metadata.name, each]));
      for (const lease of new Set([...names, ...known.keys()])) {
        lookoutOf(lease).note(known.get(lease));
      }
    },
    read: (isHeldHere) => names.map((lease, shard) => leaseState(lease, isHeldHere(shard))),
    get otherDivision() {
      const isOther = ({ metadata, spec }: Lease) =>
        (spec?.holderIdentity ?? '') !== '' &&
        metadata.annotations?.[annotation] !== String(shards) &&
        !lookoutOf(metadata.name).mayTake();
      return [...known.values()].find(isOther)?.metadata.name;
    },
    async removeOthers() {
      const others = [...known.values()].filter(({ metadata }) => !names.includes(metadata.name));
      for (const { metadata } of others.filter((each) => lookoutOf(each.metadata.name).mayTake())) {
        const { name: other, uid = '', resourceVersion = '' } = metadata;
        await client.delete(leaseKind, { namespace, name: other }, { uid, resourceVersion });
      }
    },
    lookout: (shard) => lookoutOf(leaseNameOf(name, shard)),
  };
}
