// Objects of one kind by namespace and key, in a compact form. Compares versions of an object.
import type { Key, KubeObject } from '../api.ts';
import { createStringPool, share } from './sharing.ts';

export interface Cache<T extends KubeObject> {
  readonly size: number;
  get(key: Key): T | undefined;
  has(key: Key): boolean;
  entries(): Iterable<readonly [Key, T]>;
  items(namespace?: string): Iterable<T>;
  count(namespace: string): number;
  /** Shares equal parts of the object with its version before, and equal strings with other objects. */
  set(key: Key, object: T): void;
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

/** Returns whether both are states of one object: not of two with the same name, one after the other. */
export function sameLife(left: KubeObject, right: KubeObject): boolean {
  return left.metadata.uid === right.metadata.uid;
}

/** Returns whether one state of an object is newer than another. */
export function newer(candidate: KubeObject, known: KubeObject): boolean {
  return isNewer(candidate.metadata.resourceVersion, known.metadata.resourceVersion);
}

export function createCache<T extends KubeObject>(): Cache<T> {
  const byNamespace = new Map<string, Map<Key, T>>();
  const pool = createStringPool();
  let size = 0;
  const sameNamespace = (key: Key) => byNamespace.get(namespaceOf(key));

  function* entries(): Generator<readonly [Key, T]> {
    for (const objects of byNamespace.values()) yield* objects;
  }

  function* items(): Generator<T> {
    for (const objects of byNamespace.values()) yield* objects.values();
  }

  return {
    get size() {
      return size;
    },
    get: (key) => sameNamespace(key)?.get(key),
    has: (key) => sameNamespace(key)?.has(key) ?? false,
    entries,
    items: (namespace) =>
      namespace === undefined ? items() : (byNamespace.get(namespace)?.values() ?? []),
    count: (namespace) => byNamespace.get(namespace)?.size ?? 0,
    set(key, object) {
      dropManagedFields(object);
      const { namespace = '' } = object.metadata;
      const objects = byNamespace.get(namespace) ?? new Map<Key, T>();
      size -= objects.size;
      byNamespace.set(namespace, objects.set(key, share(object, objects.get(key), pool)));
      size += objects.size;
    },
    delete(key) {
      const objects = sameNamespace(key);
      if (objects?.delete(key) !== true) return;
      size -= 1;
      if (objects.size === 0) byNamespace.delete(namespaceOf(key));
    },
  };
}

function namespaceOf(key: Key): string {
  return key.slice(0, Math.max(0, key.indexOf('/')));
}

/**
 * Managed fields make up a third of the JSON of a small object, change with every status write, and are not used here. They
 * are removed in place, the cheapest way: a reviver makes parsing four times as slow, and `delete` makes a slow object.
 */
export function dropManagedFields(object: KubeObject): void {
  if (!('managedFields' in object.metadata)) return;
  const { managedFields: _dropped, ...metadata } = object.metadata as KubeObject['metadata'] & {
    managedFields?: unknown;
  };
  object.metadata = metadata;
}
