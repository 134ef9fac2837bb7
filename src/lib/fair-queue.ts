// A round-robin queue over groups: items of one group leave in order, and a group with thousands of items delays the single
// item of another group by one item. Add, delete and take run in constant time, except for blocked groups.

export interface FairQueue<T> {
  readonly size: number;
  /** An item already in the queue keeps its place. */
  add(item: T): void;
  delete(item: T): void;
  /** @returns the oldest item of the next unblocked group; undefined when there is none */
  take(): T | undefined;
  /** Puts the skipped groups back into rotation, as far as they are unblocked now. */
  release(): void;
  groups(): Iterable<string>;
  sizeOf(group: string): number;
  items(): Iterable<T>;
}

interface FairQueueOptions<T> {
  readonly groupOf: (item: T) => string;
  /** Returns whether items of this group may be taken now. A blocked group is skipped until `release`. */
  readonly mayTake: (group: string) => boolean;
}

export function createFairQueue<T>({ groupOf, mayTake }: FairQueueOptions<T>): FairQueue<T> {
  const itemsOf = new Map<string, Fifo<T>>();
  const order = createFifo<string>();
  const passedOver = new Set<string>();
  let size = 0;

  function nextGroup(): string | undefined {
    for (;;) {
      const group = order.take();
      if (group === undefined || mayTake(group)) return group;
      passedOver.add(group);
    }
  }

  return {
    get size() {
      return size;
    },
    add(item) {
      const group = groupOf(item);
      const items = itemsOf.get(group) ?? createFifo<T>();
      itemsOf.set(group, items);
      const before = items.size;
      items.add(item);
      size += items.size - before;
      // A group that was empty goes behind all others, or one that is never idle could take every second item.
      if (!passedOver.has(group)) order.add(group);
    },
    delete(item) {
      const group = groupOf(item);
      const items = itemsOf.get(group);
      if (items === undefined) return;
      const before = items.size;
      items.delete(item);
      size -= before - items.size;
      if (items.size > 0) return;
      itemsOf.delete(group);
      order.delete(group);
      passedOver.delete(group);
    },
    take() {
      const group = nextGroup();
      if (group === undefined) return undefined;
      const items = itemsOf.get(group);
      const item = items?.take();
      if (item !== undefined) size -= 1;
      if (items === undefined || items.size === 0) itemsOf.delete(group);
      else order.add(group);
      return item;
    },
    release() {
      for (const group of passedOver) {
        if (!mayTake(group)) continue;
        passedOver.delete(group);
        order.add(group);
      }
    },
    groups: () => itemsOf.keys(),
    sizeOf: (group) => itemsOf.get(group)?.size ?? 0,
    items: () => [...itemsOf.values()].flatMap(({ values }) => [...values]),
  };
}

interface Fifo<T> {
  readonly size: number;
  readonly values: Iterable<T>;
  /** Appends a value; a value already present keeps its place. */
  add(value: T): void;
  delete(value: T): void;
  take(): T | undefined;
}

function createFifo<T>(): Fifo<T> {
  const values = new Set<T>();
  // One live iterator: a new one would each time walk over the gaps that taken values left.
  let oldest = values.values();
  return {
    get size() {
      return values.size;
    },
    values,
    add: (value) => void values.add(value),
    delete: (value) => void values.delete(value),
    take() {
      if (values.size === 0) return undefined;
      let next = oldest.next();
      if (next.done === true) {
        oldest = values.values();
        next = oldest.next();
      }
      if (next.done === true) return undefined;
      values.delete(next.value);
      return next.value;
    },
  };
}
