// The simulation behind docs/scaling.md: real queues, workers, limiters, shards and Leases on virtual time, against a modelled API
// server. It returns plain numbers; the seeds are fixed, so they are the same on every machine.
import { balanceOf } from './scaling/balance.ts';
import { type Burst, simulateBurst } from './scaling/burst.ts';
import { type Calibration, calibrate } from './scaling/calibrate.ts';
import { type Failover, simulateFailover } from './scaling/failover.ts';
import { type Fairness, simulateFairness } from './scaling/fairness.ts';
import { type Relists, simulateRelists } from './scaling/relists.ts';
import { type Comparison, compare } from './scaling/validate.ts';

type Say = (line: string) => void;

/** What a cluster has for Fairlead. */
interface Hardware {
  readonly name: string;
  /** Processors of kube-apiserver. */
  readonly processors: number;
  readonly apiReplicas: number;
  readonly controllerReplicas: number;
  readonly shards: number;
}

export const hardware: readonly Hardware[] = [
  {
    name: '4 processors, 1 controller',
    processors: 4,
    apiReplicas: 2,
    controllerReplicas: 1,
    shards: 1,
  },
  {
    name: '16 processors, 1 controller',
    processors: 16,
    apiReplicas: 4,
    controllerReplicas: 1,
    shards: 1,
  },
  {
    name: '16 processors, 4 controllers',
    processors: 16,
    apiReplicas: 6,
    controllerReplicas: 4,
    shards: 32,
  },
];

export const burstSizes = [
  { organizations: 10, resources: 1_000 },
  { organizations: 100, resources: 10_000 },
  { organizations: 1_000, resources: 100_000 },
  { organizations: 10_000, resources: 1_000_000 },
];

export interface BurstSeries {
  readonly name: string;
  readonly bursts: readonly Burst[];
}

/** The largest size only on the largest cluster: it takes minutes. */
export async function simulateBursts(say: Say): Promise<readonly BurstSeries[]> {
  const series: BurstSeries[] = [];
  for (const each of hardware) {
    const bursts: Burst[] = [];
    for (const size of each === hardware.at(-1) ? burstSizes : burstSizes.slice(0, -1)) {
      say(`burst of ${size.resources} resources, ${each.name}`);
      bursts.push(await simulateBurst({ ...each, ...size }));
    }
    series.push({ name: each.name, bursts });
  }
  return series;
}

/** One flood of growing size, with the fair queue and with a queue of one group. */
export const floodSizes = [100, 1_000, 10_000, 20_000];

export type FloodSizes = Readonly<Record<'fair' | 'oneGroup', readonly Fairness[]>>;

export async function simulateFloodSizes(say: Say): Promise<FloodSizes> {
  const alone = { floods: 1, processors: 8, controllerReplicas: 1, shards: 1 };
  const run = async (isOneGroup: boolean) => {
    const results: Fairness[] = [];
    for (const each of floodSizes) {
      say(`a flood of ${each}${isOneGroup ? ', in a queue of one group' : ''}`);
      results.push(await simulateFairness({ ...alone, each, isOneGroup }));
    }
    return results;
  };
  return { fair: await run(false), oneGroup: await run(true) };
}

export const floodCounts = [1, 10, 100, 1_000];

/** Many organizations that flood at once, with few and with many shards. */
export type FloodCounts = readonly {
  readonly name: string;
  readonly results: readonly Fairness[];
}[];

export async function simulateFloodCounts(say: Say): Promise<FloodCounts> {
  const divisions = [
    { name: '1 replica, 1 shard', controllerReplicas: 1, shards: 1 },
    { name: '4 replicas, 4 shards', controllerReplicas: 4, shards: 4 },
    { name: '4 replicas, 32 shards', controllerReplicas: 4, shards: 32 },
  ];
  const all = [];
  for (const { name, ...division } of divisions) {
    const results: Fairness[] = [];
    for (const floods of floodCounts) {
      say(`${floods} floods, ${name}`);
      results.push(
        await simulateFairness({ ...division, floods, each: 20_000 / floods, processors: 8 }),
      );
    }
    all.push({ name, results });
  }
  return all;
}

export const shardCounts = [1, 2, 4, 8, 16, 32, 64];
const largest = { organizations: 10_000, resources: 1_000_000 };

export function balances(replicas: number) {
  return shardCounts
    .filter((shards) => shards >= replicas)
    .map((shards) => balanceOf({ ...largest, replicas, shards }));
}

const seeds = [1, 2, 3];

/** By number of replicas, and of shards. */
export type Failovers = ReadonlyMap<number, ReadonlyMap<number, readonly Failover[]>>;

/** A killed replica, of 2, 4 and 8. */
export async function simulateFailovers(say: Say): Promise<Failovers> {
  const all = new Map<number, Map<number, Failover[]>>();
  for (const replicas of [2, 4, 8]) {
    const byShards = new Map<number, Failover[]>();
    for (const shards of shardCounts.filter((each) => each >= replicas)) {
      say(`a killed replica of ${replicas}, ${shards} shards`);
      const runs: Failover[] = [];
      for (const seed of seeds) runs.push(await simulateFailover({ replicas, shards, seed }));
      byShards.set(shards, runs);
    }
    all.set(replicas, byShards);
  }
  return all;
}

export type RelistsByProcesses = ReadonlyMap<number, readonly Relists[]>;

export async function simulateAllRelists(say: Say): Promise<RelistsByProcesses> {
  const all = new Map<number, Relists[]>();
  for (const processes of [1, 4, 12, 32]) {
    say(`${processes} processes that list everything`);
    const results: Relists[] = [];
    for (const { resources } of burstSizes) {
      results.push(await simulateRelists({ resources, processes, processors: 8 }));
    }
    all.set(processes, results);
  }
  return all;
}

export async function validate(
  say: Say,
): Promise<{ readonly calibration: Calibration; readonly comparisons: readonly Comparison[] }> {
  const calibration = await calibrate(say);
  return { calibration, comparisons: await compare(calibration) };
}
