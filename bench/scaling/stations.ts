// Queues with servers, the parts of which the model is made: processors, a thread, connections, seats. First come, first served.
import type { VirtualTime } from './virtual-time.ts';

/** At most `places` at a time; others wait. */
export interface Slots {
  /** Calls `begin` once a place is free, with the function that frees it. */
  enter(begin: (leave: () => void) => void): void;
  readonly taken: number;
  readonly waiting: number;
}

export function createSlots(places: number): Slots {
  const queue = createQueue<(leave: () => void) => void>();
  let taken = 0;
  function leave(): void {
    const next = queue.take();
    if (next === undefined) taken -= 1;
    else next(leave);
  }
  return {
    enter(begin) {
      if (taken >= places) {
        queue.add(begin);
        return;
      }
      taken += 1;
      begin(leave);
    },
    get taken() {
      return taken;
    },
    get waiting() {
      return queue.size;
    },
  };
}

export interface Processors {
  /** Computes for `ms` milliseconds on one of them, and then calls back. */
  run(ms: number, done: () => void): void;
  /** Milliseconds of all processors that were used. */
  readonly busyMs: number;
}

export function createProcessors(time: Pick<VirtualTime, 'after'>, count: number): Processors {
  const slots = createSlots(count);
  let busyMs = 0;
  return {
    run(ms, done) {
      slots.enter((leave) => {
        busyMs += ms;
        time.after(ms, () => {
          leave();
          done();
        });
      });
    },
    get busyMs() {
      return busyMs;
    },
  };
}

/** One thread of a process: it computes one thing at a time, on any of the processors. */
export interface Thread extends Processors {
  /** Work that nobody waits for, such as parsing the events of others: done before the next piece of work. */
  charge(ms: number): void;
}

export function createThread(time: VirtualTime, processors: Processors): Thread {
  const slots = createSlots(1);
  let busyMs = 0;
  let charged = 0;
  let isPaying = false;

  function work(own: number, done: () => void): void {
    slots.enter((leave) => {
      const ms = own + charged;
      charged = 0;
      busyMs += ms;
      processors.run(ms, () => {
        leave();
        done();
      });
    });
  }

  return {
    run: work,
    charge(ms) {
      charged += ms;
      if (isPaying) return;
      isPaying = true;
      // In one piece a few milliseconds later: a piece for each event would double the events of the simulation.
      time.after(chargeMs, () => {
        isPaying = false;
        if (charged > 0) work(0, () => undefined);
      });
    },
    get busyMs() {
      return busyMs;
    },
  };
}

const chargeMs = 5;

interface Queue<T> {
  readonly size: number;
  add(item: T): void;
  take(): T | undefined;
}

function createQueue<T>(): Queue<T> {
  let items: (T | undefined)[] = [];
  let first = 0;
  return {
    get size() {
      return items.length - first;
    },
    add: (item) => void items.push(item),
    take() {
      const item = items[first];
      if (item === undefined) return undefined;
      items[first] = undefined;
      first += 1;
      if (first > 1_024 && first * 2 > items.length) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
  };
}
