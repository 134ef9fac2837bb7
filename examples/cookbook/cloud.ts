// The system behind the providers of docs/provider-cookbook.md: objects by their owners, and operations, in memory.
import { randomUUID } from 'node:crypto';

/** Whose object changes, and by which delivery: a call of a handler is one. */
export interface Delivery {
  readonly owner: string;
  readonly sequence: number;
}

interface Operation {
  readonly url: string;
  looks: number;
}

const looksUntilDone = 3;

/** The answer of a system that limits its requests. */
export class TooManyRequests extends Error {
  readonly seconds: number;

  constructor(seconds: number) {
    super('Too many requests');
    this.seconds = seconds;
  }
}

/** What the cloud shows of a volume. */
export interface Volume {
  readonly bytes: number;
  readonly label: string;
  /** A tag. */
  readonly owner: string;
}

interface Aborting {
  readonly signal?: AbortSignal;
}

const objects = new Map<string, object>();
const volumesById = new Map<string, Volume>();
/** The owner of each key. */
const keysById = new Map<string, string>();
/** The newest delivery of each owner, also of removed ones. */
const sequences = new Map<string, number>();
const operations = new Map<string, Operation>();
let refusals = 0;

function urlFor(owner: string): string {
  return `https://cloud.example/${owner}`;
}

export const cloud = {
  /** The next `count` requests are refused. */
  limit(count: number): void {
    refusals = count;
  },
  /** Objects that the account has. */
  count(): number {
    return objects.size;
  },
  get(owner: string): object | undefined {
    return objects.get(owner);
  },
  /** The comparison and the write are one step. @returns undefined for a delivery that is older than what is stored */
  putIfNewer({ owner, sequence }: Delivery, value: object): Promise<{ url: string } | undefined> {
    if (refusals > 0) {
      refusals -= 1;
      return Promise.reject(new TooManyRequests(30));
    }
    if (sequence < (sequences.get(owner) ?? 0)) return Promise.resolve(undefined);
    sequences.set(owner, sequence);
    objects.set(owner, value);
    return Promise.resolve({ url: urlFor(owner) });
  },
  /** Like `putIfNewer`. @throws Error for a delivery that is older than what is stored */
  async put(delivery: Delivery, value: object): Promise<{ url: string }> {
    const written = await cloud.putIfNewer(delivery, value);
    if (written === undefined) throw new Error('A newer delivery has changed it');
    return written;
  },
  remove({ owner, sequence }: Delivery): Promise<void> {
    if (sequence >= (sequences.get(owner) ?? 0)) {
      sequences.set(owner, sequence);
      objects.delete(owner);
    }
    return Promise.resolve();
  },
  /** Volumes by their ids, also those that nobody declared. */
  volumes: {
    async read(id: string, { signal }: Aborting = {}): Promise<Volume | undefined> {
      signal?.throwIfAborted();
      return await Promise.resolve(volumesById.get(id));
    },
    /** @throws Error for a delivery that is older than what is stored */
    async write(id: string, sequence: number, volume: Volume & { passphrase: string }) {
      if (sequence < (sequences.get(id) ?? 0)) throw new Error('A newer delivery has changed it');
      sequences.set(id, sequence);
      const { passphrase: _, ...shown } = volume;
      volumesById.set(id, await Promise.resolve(shown));
    },
    async remove(id: string, sequence: number): Promise<void> {
      if (sequence < (sequences.get(id) ?? 0)) return;
      sequences.set(id, sequence);
      await Promise.resolve(volumesById.delete(id));
    },
    /** @param after what the page before had as `next` */
    async list(after: string | null, { signal }: Aborting = {}) {
      signal?.throwIfAborted();
      const [id, more] = [...volumesById.keys()].sort().filter((each) => each > (after ?? ''));
      const ids = id === undefined ? [] : [id];
      return await Promise.resolve({ ids, next: more === undefined ? undefined : id });
    },
  },
  /** Keys, each with a secret that is shown when it is made, and never again. */
  keys: {
    /** @returns the ids of the keys of an owner */
    of(owner: string): readonly string[] {
      return [...keysById].filter(([, of]) => of === owner).map(([id]) => id);
    },
    /** @throws Error for a delivery that is older than what is stored */
    async make(delivery: Delivery, value: object): Promise<{ id: string; secret: string }> {
      await cloud.put(delivery, value);
      const id = `key-${randomUUID()}`;
      keysById.set(id, delivery.owner);
      return { id, secret: randomUUID() };
    },
    /** Removes all keys of an owner, unless the delivery is older than what is stored. */
    async removeAll(delivery: Delivery): Promise<void> {
      if (delivery.sequence < (sequences.get(delivery.owner) ?? 0)) return;
      for (const id of cloud.keys.of(delivery.owner)) keysById.delete(id);
      await cloud.remove(delivery);
    },
  },
  /** @returns the same operation for the same key */
  async begin(call: Delivery & { config: object; key: string }): Promise<string> {
    const { config, key } = call;
    const { url } = await cloud.put(call, config);
    operations.set(key, operations.get(key) ?? { url, looks: 0 });
    return key;
  },
  look(id: string): Promise<{ done: number; total: number; url: string | undefined }> {
    const operation = operations.get(id);
    if (operation === undefined) return Promise.reject(new Error('There is no such operation'));
    operation.looks += 1;
    const done = Math.min(operation.looks, looksUntilDone);
    const url = done === looksUntilDone ? operation.url : undefined;
    return Promise.resolve({ done, total: looksUntilDone, url });
  },
  cancel(id: string): Promise<{ ended: boolean }> {
    operations.delete(id);
    return Promise.resolve({ ended: true });
  },
};

export type Client = Pick<typeof cloud, 'put' | 'remove'> & {
  ping(): Promise<void>;
  close(): Promise<void>;
};

/** How many clients are open. */
export const connections = { open: 0 };

/** @throws Error when the store does not know the token */
export function connect(url: string, token: string): Promise<Client> {
  if (token === 'wrong-token') return Promise.reject(new Error(`${new URL(url).host} refuses it`));
  connections.open += 1;
  return Promise.resolve({
    put: cloud.put,
    remove: cloud.remove,
    ping: () => Promise.resolve(),
    close() {
      connections.open -= 1;
      return Promise.resolve();
    },
  });
}
