// Objects of one kind by key, with an index by namespace. Compares versions of an object.
import { type Key, type KubeObject, keyFor } from './api.ts';
import { dropManagedFields } from './managed-fields.ts';

export interface Cache<T extends KubeObject> {
  readonly size: number;
  get(key: Key): T | undefined;
  has(key: Key): boolean;
  keys(): Iterable<Key>;
  items(namespace?: string): Iterable<T>;
  count(namespace: string): number;
  set(object: T): void;
  delete(key: Key): void;
}

/**
 * Resource versions of one kind are comparable since Kubernetes 1.35 (KEP-5504), and were decimal numbers of etcd before:
 * the longer one is larger, equal lengths compare as text.
 */
export function isNewer(candidate: string | undefined, known: string | undefined): boolean {
  if (candidate === undefined || known === undefined) return candidate !== undefined;
  return candidate.length === known.length ? candidate > known : candidate.length > known.length;
}

export function createCache<T extends KubeObject>(): Cache<T> {
  const all = new Map<Key, T>();
  const byNamespace = new Map<string, Map<Key, T>>();
  return {
    get size() {
      return all.size;
    },
    get: (key) => all.get(key),
    has: (key) => all.has(key),
    keys: () => all.keys(),
    items: (namespace) =>
      namespace === undefined ? all.values() : (byNamespace.get(namespace)?.values() ?? []),
    count: (namespace) => byNamespace.get(namespace)?.size ?? 0,
    set(object) {
      dropManagedFields(object);
      const { namespace = '' } = object.metadata;
      const key = keyFor(object.metadata);
      all.set(key, object);
      const index = byNamespace.get(namespace) ?? new Map<Key, T>();
      byNamespace.set(namespace, index.set(key, object));
    },
    delete(key) {
      const { namespace = '' } = all.get(key)?.metadata ?? {};
      all.delete(key);
      const index = byNamespace.get(namespace);
      index?.delete(key);
      if (index?.size === 0) byNamespace.delete(namespace);
    },
  };
}
