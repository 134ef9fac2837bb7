// The plots of docs/scaling.md.
import type { Plot, Series } from '../report/figures.ts';
import {
  type BurstSeries,
  balances,
  type Failovers,
  type FloodCounts,
  type FloodSizes,
  type RelistsByProcesses,
} from '../scaling.ts';
import type { Balance } from './balance.ts';
import type { Failover } from './failover.ts';
import type { Fairness } from './fairness.ts';

const seconds = { label: 'seconds', scale: 'log' } as const;

export function burstPlot(bursts: readonly BurstSeries[]): Plot {
  return {
    file: 'scaling-burst',
    title: 'Time until a burst of resources is ready',
    x: { label: 'resources, of 10 to 10,000 organizations', scale: 'log' },
    y: seconds,
    series: bursts.map(({ name, bursts: each }) => ({
      name,
      points: each.map((burst) => ({ x: burst.resources, values: [burst.seconds] })),
    })),
  };
}

export function floodSizePlot({ fair, oneGroup }: FloodSizes): Plot {
  return {
    file: 'scaling-flood',
    title: 'A small organization beside the flood of another: p99 from apply to ready',
    x: { label: 'waiting resources of the flood', scale: 'log' },
    y: seconds,
    series: [waits('fair queue', fair, 'waiting'), waits('one queue for all', oneGroup, 'waiting')],
  };
}

export function floodCountPlot(counts: FloodCounts): Plot {
  return {
    file: 'scaling-floods',
    title: 'A small organization beside many floods: p99 from apply to ready',
    x: { label: 'organizations that flood, with 20,000 waiting resources together', scale: 'log' },
    y: seconds,
    series: counts.map(({ name, results }) => waits(name, results, 'floods')),
  };
}

function waits(name: string, results: readonly Fairness[], x: 'waiting' | 'floods'): Series {
  return { name, points: results.map((each) => ({ x: each[x], values: [each.p99Seconds] })) };
}

export function balancePlot(): Plot {
  const [four, eight] = [balances(4), balances(8)];
  const line = (name: string, all: readonly Balance[], kind: 'organizations' | 'resources') => ({
    name,
    points: all.map((each) => ({ x: each.shards, values: each[kind] })),
  });
  return {
    file: 'scaling-balance',
    title: 'The fullest replica, relative to the mean: 10,000 organizations, a million resources',
    x: { label: 'shards', scale: 'log' },
    y: { label: 'most / mean' },
    series: [
      line('organizations, 4 replicas', four, 'organizations'),
      line('resources, 4 replicas', four, 'resources'),
      line('resources, 8 replicas', eight, 'resources'),
    ],
  };
}

export function failoverPlot(failovers: Failovers): Plot {
  return {
    file: 'scaling-failover',
    title: 'Time without progress in the shards of a killed replica',
    x: { label: 'shards', scale: 'log' },
    y: { label: 'seconds' },
    series: byReplicas(failovers, (runs) => runs.flatMap(({ gaps }) => gaps)),
  };
}

export function leasePlot(failovers: Failovers): Plot {
  return {
    file: 'scaling-leases',
    title: 'Requests about Leases, of all replicas together',
    x: { label: 'shards', scale: 'log' },
    y: { label: 'requests a second' },
    series: byReplicas(failovers, (runs) => runs.map(({ leaseRequests }) => leaseRequests)),
  };
}

function byReplicas(
  failovers: Failovers,
  valuesOf: (runs: readonly Failover[]) => readonly number[],
): readonly Series[] {
  return [...failovers].map(([replicas, byShards]) => ({
    name: `${replicas} replicas`,
    points: [...byShards].map(([shards, runs]) => ({ x: shards, values: valuesOf(runs) })),
  }));
}

export function relistPlot(relists: RelistsByProcesses): Plot {
  return {
    file: 'scaling-relists',
    title: 'Time until all processes have listed all resources, 8 processors for the API server',
    x: { label: 'resources', scale: 'log' },
    y: seconds,
    series: [...relists].map(([processes, results]) => ({
      name: processes === 1 ? '1 process' : `${processes} processes`,
      points: results.map((each) => ({ x: each.resources, values: [each.lastSeconds] })),
    })),
  };
}
