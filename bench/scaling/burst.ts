// How long a burst takes: every organization applies all its resources at once, until all are ready.
import { applyRange, createCluster, divideEvenly } from './cluster.ts';
import { measured } from './figures.ts';
import { zipfSizes } from './random.ts';

export interface Burst {
  readonly organizations: number;
  readonly resources: number;
  readonly controllers: number;
  /** Until the last resource was ready. */
  readonly seconds: number;
  readonly perSecond: number;
  /** Median and 99th percentile from the first apply of a resource until it was ready, in seconds. */
  readonly medianSeconds: number;
  readonly p99Seconds: number;
  /** Applies refused by the rate limit. */
  readonly refused: number;
  /** Share of the processors of the API server. */
  readonly busy: number;
}

export interface BurstOptions {
  readonly organizations: number;
  readonly resources: number;
  readonly processors: number;
  readonly apiReplicas: number;
  readonly controllerReplicas: number;
  readonly shards: number;
  /** Requests of one organization at a time. */
  readonly width?: number;
}

export async function simulateBurst(options: BurstOptions): Promise<Burst> {
  const { organizations, resources, width = 8 } = options;
  const sizes = zipfSizes(resources, organizations, mostOfOne);
  const cluster = createCluster({ ...options, sizes, costs: measured });
  const { time, world, processors } = cluster;
  divideEvenly(cluster, options.shards);
  for (let at = 0; at < organizations; at += 1) {
    applyRange(cluster, world.firstOf[at] ?? 0, world.firstOf[at + 1] ?? 0, width);
  }
  await time.runUntil(() => cluster.ready === world.size);
  const took = Float64Array.from(world.readyAt, (at, index) => at - (world.begunAt[index] ?? 0));
  took.sort();
  const secondsAt = (share: number) => (took[Math.floor(took.length * share)] ?? 0) / 1_000;
  return {
    organizations,
    resources,
    controllers: options.controllerReplicas,
    seconds: time.now / 1_000,
    perSecond: (resources * 1_000) / time.now,
    medianSeconds: secondsAt(0.5),
    p99Seconds: secondsAt(0.99),
    refused: cluster.refused,
    busy: processors.busyMs / (time.now * options.processors),
  };
}

/** The default quota of an organization. */
const mostOfOne = 20_000;
