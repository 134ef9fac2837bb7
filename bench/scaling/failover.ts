// What organizations feel when a replica of the controller is killed: the real Leases and their division, between replicas that work
// on the modelled cluster.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { keepLeading, type Leading } from '../../src/app/leader.ts';
import { silentLog } from '../../src/lib/log.ts';
import { joinReplicas } from '../../src/store/replicas.ts';
import { type Cluster, createCluster } from './cluster.ts';
import { measured } from './figures.ts';
import { createLeaseStore, type LeaseStore } from './lease-store.ts';
import { percentileOf } from './percentiles.ts';
import { seeded } from './random.ts';
import { state } from './world.ts';

export interface Failover {
  readonly replicas: number;
  readonly shards: number;
  /** Of the shards of the killed replica: seconds until another replica recorded the first result. */
  readonly gaps: readonly number[];
  /** Seconds from apply to ready, of the resources applied to those shards around the kill. */
  readonly p99Seconds: number;
  /** From the start until each replica had its share, in seconds. */
  readonly dividedSeconds: number;
  /** Requests about Leases each second, before the kill. */
  readonly leaseRequests: number;
}

export interface FailoverOptions {
  readonly replicas: number;
  readonly shards: number;
  readonly seed: number;
}

const organizations = 512;
const appliesPerSecond = 20;
/** Enough for a division, which waits for half a minute before it moves a shard. */
const settleMs = 300_000;
const measureMs = 90_000;

export async function simulateFailover(options: FailoverOptions): Promise<Failover> {
  const { replicas, shards, seed } = options;
  const seconds = (settleMs + measureMs) / 1_000;
  const perOrganization = Math.ceil((seconds * appliesPerSecond) / organizations);
  const cluster = createCluster({
    sizes: Array<number>(organizations).fill(perOrganization),
    costs: measured,
    processors: 8,
    apiReplicas: 2,
    controllerReplicas: replicas,
    shards,
    seed,
    resolutionMs: 0,
  });
  const { time, world, apiServer, shardOfOrganization } = cluster;
  const leases = createLeaseStore(time);
  const dying = new AbortController();
  const leading: Leading[] = [];
  for (let at = 0; at < replicas; at += 1) {
    // They start in turn, as pods do.
    time.after(at * 1_000, () => {
      const signal = at === 0 ? dying.signal : new AbortController().signal;
      void lead(cluster, { leases, at, shards, seed, signal }).then((each) => (leading[at] = each));
    });
  }
  await time.runUntil(() => isDivided(leading, { replicas, shards }), settleMs);
  const dividedSeconds = time.now / 1_000;
  const requestsBefore = leases.requests;
  const quietFrom = time.now;
  applyAtRandom(cluster, seed);
  // A round of renewals is counted, and the resources of each shard are under way.
  await time.runUntil(() => time.now >= quietFrom + 20_000);
  const leaseRequests = (leases.requests - requestsBefore) / 20;

  const killedAt = time.now;
  const orphaned = new Set(leading[0]?.led);
  const gaps = new Map<number, number>();
  apiServer.observe((resource, next) => {
    const shard = shardOfOrganization[world.organizationOf[resource] ?? 0] ?? 0;
    if (next === state.ready && orphaned.has(shard) && !gaps.has(shard)) {
      gaps.set(shard, (time.now - killedAt) / 1_000);
    }
  });
  cluster.controllers[0]?.kill();
  dying.abort();
  await time.runUntil(() => time.now >= killedAt + measureMs);
  return {
    replicas,
    shards,
    gaps: [...gaps.values()],
    p99Seconds: percentileOf(waitsOf(cluster, { orphaned, from: killedAt }), 0.99),
    dividedSeconds,
    leaseRequests,
  };
}

interface LeadOptions {
  readonly leases: LeaseStore;
  readonly at: number;
  readonly shards: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

async function lead(cluster: Cluster, options: LeadOptions): Promise<Leading> {
  const { leases, at, shards, seed, signal } = options;
  const { clock, timers } = cluster.time;
  const random = seeded(seed * 1_000 + at);
  const identity = `controller-${at}`;
  const namespace = 'fairlead-system';
  const kubeDeps = { client: leases.client(signal), clock, log: silentLog, random };
  const members =
    shards === 1
      ? undefined
      : await joinReplicas({ ...kubeDeps, timers, namespace, identity, part: 'controller' });
  const controller = cluster.controllers[at];
  return keepLeading({
    kubeDeps,
    timers,
    namespace,
    identity,
    shards,
    members: () => new Set(members?.members.keys() ?? [identity]),
    prepare: async () => {
      await nextTurn();
    },
    controllers: ({ shard }) => (controller === undefined ? [] : [controller.controllerOf(shard)]),
  });
}

function isDivided(
  leading: readonly Leading[],
  { replicas, shards }: Pick<FailoverOptions, 'replicas' | 'shards'>,
): boolean {
  const counts = Array.from({ length: replicas }, (_, at) => leading[at]?.led.length ?? 0);
  const isAll = counts.reduce((sum, count) => sum + count, 0) === shards;
  // With one shard, or fewer than replicas, the first one must have something to lose.
  return isAll && Math.max(...counts) - Math.min(...counts) <= 1 && (counts[0] ?? 0) > 0;
}

function applyAtRandom(cluster: Cluster, seed: number): void {
  const { time, world } = cluster;
  const random = seeded(seed + 1);
  const next = Int32Array.from(world.firstOf.subarray(0, world.organizations));
  const one = () => {
    const organization = Math.floor(random() * world.organizations);
    const resource = next[organization] ?? 0;
    if (resource < (world.firstOf[organization + 1] ?? 0)) {
      next[organization] = resource + 1;
      cluster.apply(resource, () => undefined);
    }
    time.after(1_000 / appliesPerSecond, one);
  };
  one();
}

/** Of the resources that were applied in the half minute after the kill. */
function waitsOf(
  { world, shardOfOrganization }: Cluster,
  { orphaned, from }: { readonly orphaned: ReadonlySet<number>; readonly from: number },
): readonly number[] {
  const waits: number[] = [];
  for (let resource = 0; resource < world.size; resource += 1) {
    const begun = world.begunAt[resource] ?? Number.NaN;
    if (!(begun >= from && begun < from + 30_000)) continue;
    if (!orphaned.has(shardOfOrganization[world.organizationOf[resource] ?? 0] ?? 0)) continue;
    waits.push(((world.readyAt[resource] ?? Number.NaN) - begun) / 1_000);
  }
  return waits;
}
