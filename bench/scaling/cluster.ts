// A modelled cluster: one API server with etcd, processes of Fairlead, and clients that apply resources.
import { defaultRates, type RateSettings } from '../../src/http/limits/rate-limit.ts';
import type { Key } from '../../src/kube/api.ts';
import { shardOf } from '../../src/kube/shards.ts';
import { type ApiServer, createApiServer, defaultSeats } from './api-server.ts';
import { bytesPerResource, type Costs } from './figures.ts';
import {
  type ApiProcess,
  type ControllerProcess,
  createApiProcess,
  createControllerProcess,
  createProcess,
  type Surroundings,
} from './processes.ts';
import { type Random, seeded } from './random.ts';
import { createProcessors, createThread, type Processors } from './stations.ts';
import { createVirtualTime, type VirtualTime } from './virtual-time.ts';
import { createWorld, state, type World } from './world.ts';

export interface ClusterOptions {
  /** Number of Resources of each organization. */
  readonly sizes: readonly number[];
  readonly costs: Costs;
  /** Processors of kube-apiserver. */
  readonly processors: number;
  /** All programs share the processors, as on one machine. */
  readonly isOneMachine?: boolean;
  readonly apiReplicas: number;
  /** API processes that serve nobody. */
  readonly spareReplicas?: number;
  readonly controllerReplicas: number;
  readonly shards: number;
  readonly workers?: number;
  readonly rates?: RateSettings;
  readonly groupOf?: (key: Key) => string;
  readonly seed?: number;
  readonly resolutionMs?: number;
}

export interface Cluster {
  readonly time: VirtualTime;
  readonly world: World;
  readonly random: Random;
  readonly apiServer: ApiServer;
  readonly processors: Processors;
  readonly controllers: readonly ControllerProcess[];
  readonly shardOfOrganization: Int32Array;
  /** Applies the Resource at the next API replica, and again when that is refused, until it is stored. */
  apply(resource: number, stored: () => void): void;
  /** Number of Resources that became ready. */
  readonly ready: number;
  /** Applies that were refused. */
  readonly refused: number;
}

const defaultWorkers = 256;

export function createCluster(options: ClusterOptions): Cluster {
  const { sizes, costs, seed = 1, resolutionMs = 0.2, workers = defaultWorkers } = options;
  const { rates = defaultRates, groupOf, apiReplicas, controllerReplicas, shards } = options;
  const { spareReplicas = 0 } = options;
  const time = createVirtualTime({ resolutionMs });
  const world = createWorld(sizes);
  const random = seeded(seed);
  const processors = createProcessors(time, options.processors);
  /** Processes in a cluster have processors of their own: each uses at most one. */
  const own = () => (options.isOneMachine === true ? processors : createProcessors(time, 1));
  const apiServer = createApiServer({
    time,
    world,
    costs,
    processors,
    ...(options.isOneMachine === true && { etcdProcessors: processors }),
    seats: defaultSeats,
    bytesPerObject: bytesPerResource(550),
  });
  const surroundings: Surroundings = { time, world, costs, apiServer, random };
  const start = () => createProcess(surroundings, createThread(time, own()));
  const shardOfOrganization = Int32Array.from(sizes, (_, at) =>
    shardOf(world.namespaceOf(at), shards),
  );
  const controllers = Array.from({ length: controllerReplicas }, () =>
    createControllerProcess(surroundings, {
      process: start(),
      // As the controller divides them.
      workers: Math.ceil(workers / Math.ceil(shards / controllerReplicas)),
      shardOfOrganization,
      ...(groupOf && { groupOf }),
    }),
  );
  const startApi = () =>
    createApiProcess(surroundings, { process: start(), rates, replicas: () => apiReplicas });
  const apis = Array.from({ length: apiReplicas }, startApi);
  for (let spare = 0; spare < spareReplicas; spare += 1) startApi();
  const clients = createThread(time, own());
  let ready = 0;
  let refused = 0;
  apiServer.observe((resource, next) => {
    if (next !== state.ready) return;
    ready += 1;
    world.readyAt[resource] = time.now;
  });

  function apply(resource: number, stored: () => void): void {
    if (Number.isNaN(world.begunAt[resource])) world.begunAt[resource] = time.now;
    // Balanced by request, not by client.
    const api = apis[Math.floor(random() * apis.length)] as ApiProcess;
    const send = () =>
      time.after(costs.networkMs, () => {
        api.apply(resource, (retryAfter) => {
          if (retryAfter === undefined) {
            stored();
            return;
          }
          refused += 1;
          time.after(retryAfter * 1_000, () => apply(resource, stored));
        });
      });
    if (options.isOneMachine === true) clients.run(costs.clientMs, send);
    else send();
  }

  return {
    time,
    world,
    random,
    apiServer,
    processors,
    controllers,
    shardOfOrganization,
    apply,
    get ready() {
      return ready;
    },
    get refused() {
      return refused;
    },
  };
}

/** Gives the shards to the replicas in turn, as they divide them among themselves when none fails. */
export function divideEvenly({ controllers }: Cluster, shards: number): void {
  for (let shard = 0; shard < shards; shard += 1)
    controllers[shard % controllers.length]?.lead(shard);
}

/** Applies the Resources from `first` to `end` - 1, `width` at a time, each when an earlier one is stored. */
export function applyRange(cluster: Cluster, first: number, end: number, width: number): void {
  let next = first;
  const one = () => {
    if (next >= end) return;
    const resource = next;
    next += 1;
    cluster.apply(resource, one);
  };
  for (let at = 0; at < width; at += 1) one();
}
