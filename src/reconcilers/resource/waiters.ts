// Parks keys under the topics they wait for and wakes them when a topic changes. Level-triggered: a wake only means "look
// again".
import type { Key } from '../../kube/api.ts';

export interface Waiters {
  /**
   * Parks a key under topics. Call it before reading their state: a change between the read and the parking would wake
   * nobody.
   */
  park(key: Key, topics: readonly string[]): void;
  /** Removes a key from every topic. */
  leave(key: Key): void;
  /** @returns the keys that were parked under a topic, which are removed from it */
  wake(topic: string): readonly Key[];
}

export const topic = {
  provider: (namespace: string, provider: string) => `provider ${namespace}/${provider}`,
  definition: (key: Key) => `definition ${key}`,
  organization: (namespace: string) => `organization ${namespace}`,
  project: (namespace: string, projectId: string) => `project ${namespace}/${projectId}`,
  resource: (key: Key) => `resource ${key}`,
} as const;

export function createWaiters(): Waiters {
  const keysOf = new Map<string, Set<Key>>();
  const topicsOf = new Map<Key, Set<string>>();

  function link<K, V>(map: Map<K, Set<V>>, from: K, to: V): void {
    const set = map.get(from);
    if (set === undefined) map.set(from, new Set([to]));
    else set.add(to);
  }

  function unlink<K, V>(map: Map<K, Set<V>>, from: K, to: V): void {
    const set = map.get(from);
    set?.delete(to);
    if (set?.size === 0) map.delete(from);
  }

  return {
    park(key, topics) {
      for (const each of topics) {
        link(keysOf, each, key);
        link(topicsOf, key, each);
      }
    },
    leave(key) {
      for (const each of topicsOf.get(key) ?? []) unlink(keysOf, each, key);
      topicsOf.delete(key);
    },
    wake(each) {
      const keys = [...(keysOf.get(each) ?? [])];
      keysOf.delete(each);
      for (const key of keys) unlink(topicsOf, key, each);
      return keys;
    },
  };
}
