// What small organizations feel while others flood: each applies one resource, and the others have thousands that wait, as after an
// outage of a provider, or after a restore.
import { createCluster, divideEvenly } from './cluster.ts';
import { measured } from './figures.ts';
import { state } from './world.ts';

export interface Fairness {
  /** Waiting Resources of all floods together. */
  readonly waiting: number;
  readonly floods: number;
  /** From the apply of a small organization until its resource is ready, in seconds. */
  readonly medianSeconds: number;
  readonly p99Seconds: number;
}

export interface FairnessOptions {
  readonly floods: number;
  /** Waiting Resources of each flood. */
  readonly each: number;
  /** All organizations in one group of the queue, as in a queue without groups. */
  readonly isOneGroup?: boolean;
  readonly controllerReplicas: number;
  readonly shards: number;
  readonly processors: number;
}

const samples = 400;
const betweenMs = 250;
const apiReplicas = 2;

export async function simulateFairness(options: FairnessOptions): Promise<Fairness> {
  const { floods, each, shards, isOneGroup = false } = options;
  const sizes = [...Array<number>(samples).fill(1), ...Array<number>(floods).fill(each)];
  const cluster = createCluster({
    ...options,
    sizes,
    costs: measured,
    apiReplicas,
    ...(isOneGroup && { groupOf: () => 'all' }),
  });
  const { time, world, apiServer, controllers } = cluster;
  divideEvenly(cluster, shards);
  time.after(0, () => {
    for (let resource = samples; resource < world.size; resource += 1) {
      world.states[resource] = state.pending;
      for (const controller of controllers) controller.wake(resource);
    }
  });
  let settled = 0;
  apiServer.observe((resource) => {
    if (resource < samples && world.states[resource] === state.ready) settled += 1;
  });
  for (let at = 0; at < samples; at += 1) {
    // The floods have begun by then.
    time.after(1_000 + at * betweenMs, () => cluster.apply(at, () => undefined));
  }
  await time.runUntil(() => settled >= samples);
  const took = Array.from(
    { length: samples },
    (_, at) => ((world.readyAt[at] ?? 0) - (world.begunAt[at] ?? 0)) / 1_000,
  ).sort((left, right) => left - right);
  return {
    waiting: floods * each,
    floods,
    medianSeconds: took[Math.floor(samples * 0.5)] ?? Number.NaN,
    p99Seconds: took[Math.floor(samples * 0.99)] ?? Number.NaN,
  };
}
