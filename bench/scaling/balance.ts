// How evenly shards divide organizations and their resources among replicas: the real hash and the real division.
import { divide, type ShardLease } from '../../src/kube/shard-division.ts';
import { shardOf } from '../../src/kube/shards.ts';
import { seeded, zipfSizes } from './random.ts';

export interface Balance {
  readonly replicas: number;
  readonly shards: number;
  /** The replica with the most, relative to the mean of all: one value for each set of names. */
  readonly organizations: readonly number[];
  readonly resources: readonly number[];
}

export interface BalanceOptions {
  readonly replicas: number;
  readonly shards: number;
  readonly organizations: number;
  readonly resources: number;
}

const samples = 9;
/** The default quota of an organization. */
const mostOfOne = 20_000;

export function balanceOf(options: BalanceOptions): Balance {
  const { replicas, shards, organizations, resources } = options;
  const sizes = zipfSizes(resources, organizations, mostOfOne);
  const leaders = leadersOf(shards, replicas);
  const loads = Array.from({ length: samples }, (_, sample) => {
    const random = seeded(sample + 1);
    const load = Array.from({ length: replicas }, () => ({ organizations: 0, resources: 0 }));
    for (const size of sizes) {
      const hash = Math.floor(random() * 2 ** 48).toString(16);
      const namespace = `fl-org-${hash.padStart(12, '0')}`;
      const at = load[leaders[shardOf(namespace, shards)] ?? 0];
      if (at === undefined) continue;
      at.organizations += 1;
      at.resources += size;
    }
    return load;
  });
  const ratios = (kind: 'organizations' | 'resources') =>
    loads.map((load) => {
      const values = load.map((each) => each[kind]);
      const sum = values.reduce((all, value) => all + value, 0);
      return (Math.max(...values) * replicas) / sum;
    });
  return {
    replicas,
    shards,
    organizations: ratios('organizations'),
    resources: ratios('resources'),
  };
}

/** Lets the replicas take shards in turn, until nobody may take another one. @returns the replica of each shard */
function leadersOf(shards: number, replicas: number): number[] {
  const names = Array.from({ length: replicas }, (_, at) => `controller-${at}`);
  const members = new Set(names);
  const holders: (string | undefined)[] = Array<undefined>(shards).fill(undefined);
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const identity of names) {
      const leases = holders.map((holder): ShardLease => ({ holder, isExpired: false, freeMs: 0 }));
      for (const shard of divide({ identity, leases, members }).mayTake) {
        holders[shard] = identity;
        isChanged = true;
      }
    }
  }
  return holders.map((holder) => names.indexOf(holder ?? ''));
}
