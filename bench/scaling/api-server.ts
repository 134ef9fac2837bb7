// A modelled kube-apiserver with its etcd: processors, seats of API Priority and Fairness, the time of a commit, and watches that
// show a write a moment later.
import type { Costs } from './figures.ts';
import { createSlots, type Processors } from './stations.ts';
import type { VirtualTime } from './virtual-time.ts';
import { type State, state, type World } from './world.ts';

export type Watcher = (resource: number, next: State) => void;

export interface ApiServer {
  /** Stores the state of a Resource, as a create or as a status. */
  write(resource: number, next: State, done: () => void): void;
  /** Answers a page of a list. */
  list(objects: number, done: () => void): void;
  watch(watcher: Watcher): void;
  /** Shows writes to the simulation itself, which costs nothing. */
  observe(watcher: Watcher): void;
  readonly writes: number;
  /** Requests that wait for a seat. */
  readonly waiting: number;
}

export interface ApiServerOptions {
  readonly time: VirtualTime;
  readonly world: World;
  readonly costs: Costs;
  /** Of kube-apiserver. */
  readonly processors: Processors;
  /** Of etcd, if it shares those of something else; otherwise they are never busy. */
  readonly etcdProcessors?: Processors;
  readonly seats: number;
  /** Of a Resource. */
  readonly bytesPerObject: number;
}

/** Seats of the level `workload-low`, for service accounts, of kube-apiserver 1.36 with its default flags. */
export const defaultSeats = 245;

/** A list takes a seat for each 100 kB, at most this many (SizeBasedListCostEstimate, on since 1.34). */
const bytesPerSeat = 100_000;
const mostSeatsOfList = 100;

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { time, world, costs, processors, etcdProcessors, seats, bytesPerObject } = options;
  const places = createSlots(seats);
  const watchers: Watcher[] = [];
  const observers: Watcher[] = [];
  let writes = 0;

  function commit(done: () => void): void {
    if (etcdProcessors === undefined) time.after(costs.commitMs, done);
    else etcdProcessors.run(costs.etcdMs, () => time.after(costs.commitMs, done));
  }

  function show(resource: number, next: State): void {
    time.after(costs.watchDelayMs, () => {
      for (const watcher of watchers) watcher(resource, next);
      for (const observer of observers) observer(resource, next);
    });
  }

  return {
    write(resource, next, done) {
      const own = next === state.pending ? costs.createMs : costs.statusMs;
      places.enter((leave) => {
        processors.run(own + costs.watcherMs * watchers.length, () => {
          commit(() => {
            writes += 1;
            world.states[resource] = next;
            show(resource, next);
            leave();
            done();
          });
        });
      });
    },
    list(objects, done) {
      const wanted = Math.ceil((objects * bytesPerObject) / bytesPerSeat);
      const width = Math.max(1, Math.min(wanted, mostSeatsOfList, seats));
      const held: (() => void)[] = [];
      for (let seat = 0; seat < width; seat += 1) {
        places.enter((leave) => {
          held.push(leave);
          if (held.length < width) return;
          processors.run(objects * costs.listMs, () => {
            for (const each of held) each();
            done();
          });
        });
      }
    },
    watch: (watcher) => void watchers.push(watcher),
    observe: (observer) => void observers.push(observer),
    get writes() {
      return writes;
    },
    get waiting() {
      return places.waiting;
    },
  };
}
