// What lists of all resources cost the API server: several processes list at the same time, as after a start of all of them, while
// organizations go on applying resources. The pages are those of the real informer; who reads them is modelled.
import type { KindRef, KubeList, KubeObject, ListOptions } from '../../src/kube/api.ts';
import { pages } from '../../src/kube/pages.ts';
import { type Cluster, createCluster, divideEvenly } from './cluster.ts';
import { bytesPerResource, type Costs, measured } from './figures.ts';
import { createProcessors, createThread } from './stations.ts';
import { state } from './world.ts';

export interface Relists {
  readonly resources: number;
  readonly processes: number;
  /** Until the first and the last of the processes had all resources. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  /** Pages of one process. */
  readonly pages: number;
  /** CPU of the API server for the lists. */
  readonly cpuSeconds: number;
  /** Share of the processors of the API server while they list. */
  readonly busy: number;
  /** From apply to ready meanwhile. */
  readonly p99Seconds: number;
}

export interface RelistOptions {
  readonly resources: number;
  readonly processes: number;
  readonly processors: number;
}

const configBytes = 550;
const appliesPerSecond = 20;
const most = 20_000;

export async function simulateRelists(options: RelistOptions): Promise<Relists> {
  const { resources, processes, processors } = options;
  const costs = measured;
  const sizes = Array<number>(most).fill(1);
  const cluster = createCluster({
    sizes,
    costs,
    processors,
    apiReplicas: 2,
    controllerReplicas: 2,
    shards: 2,
  });
  divideEvenly(cluster, 2);
  const { time } = cluster;
  const ended: number[] = [];
  let read = 0;
  for (let at = 0; at < processes; at += 1) {
    void listAll(cluster, resources, costs).then((count) => {
      read = count;
      ended.push(time.now);
    });
  }
  let applied = 0;
  const applyNext = () => {
    if (ended.length === processes || applied >= most) return;
    cluster.apply(applied, () => undefined);
    applied += 1;
    time.after(1_000 / appliesPerSecond, applyNext);
  };
  applyNext();
  let busyMs = 0;
  await time.runUntil(() => {
    if (ended.length < processes) busyMs = cluster.processors.busyMs;
    return ended.length === processes && cluster.ready === applied;
  });
  const lastMs = ended.at(-1) ?? 0;
  return {
    resources,
    processes,
    firstSeconds: (ended[0] ?? 0) / 1_000,
    lastSeconds: lastMs / 1_000,
    pages: read,
    cpuSeconds: (resources * processes * costs.listMs) / 1_000,
    busy: busyMs / (lastMs * processors),
    p99Seconds: p99Of(cluster, applied),
  };
}

function p99Of({ world }: Cluster, applied: number): number {
  const took: number[] = [];
  for (let at = 0; at < applied; at += 1) {
    if (world.states[at] !== state.ready) continue;
    took.push(((world.readyAt[at] ?? 0) - (world.begunAt[at] ?? 0)) / 1_000);
  }
  took.sort((left, right) => left - right);
  return took[Math.floor(took.length * 0.99)] ?? Number.NaN;
}

/** @returns the number of pages */
async function listAll(cluster: Cluster, resources: number, costs: Costs): Promise<number> {
  const { time, apiServer } = cluster;
  const thread = createThread(time, createProcessors(time, 1));
  const client = {
    list: (_kind: KindRef, { limit = resources, continue: from = '0' }: ListOptions = {}) =>
      new Promise<KubeList<KubeObject>>((answered) => {
        const first = Number(from);
        const count = Math.min(limit, resources - first);
        time.after(costs.networkMs, () => {
          apiServer.list(count, () => {
            thread.run(count * costs.parseMs, () => answered(pageOf(first, count, resources)));
          });
        });
      }),
  };
  let count = 0;
  for await (const _page of pages(client as Parameters<typeof pages>[0], kind, {})) count += 1;
  return count;
}

const kind = {
  group: 'fairlead.dev',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
};

/** Nobody looks into the objects: they are all the same. */
const object: KubeObject = { metadata: { name: 'any' } };

function pageOf(first: number, count: number, all: number): KubeList<KubeObject> {
  const end = first + count;
  return {
    items: Array<KubeObject>(count).fill(object),
    resourceVersion: '1',
    characters: count * bytesPerResource(configBytes),
    ...(end < all && { continue: String(end) }),
  };
}
