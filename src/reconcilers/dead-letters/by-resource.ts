// Indexes dead letters by resource and by the mark superseded, change by change: passes over thousands of dead letters would
// otherwise each scan all of them.
import type { Key } from '../../kube/api.ts';
import { keyFor, refOf } from '../../kube/api.ts';
import type { DeadLetterObject } from '../../store/dead-letters/object.ts';
import { label } from '../../store/kinds.ts';

export interface DeadLetterIndex {
  /** Receives a dead letter that was added, changed, or (undefined) removed. Safe to repeat. */
  heard(key: Key, deadLetter: DeadLetterObject | undefined): void;
  /** @returns the dead letters of a Resource, and of earlier resources with its name */
  ofResource(resource: Key): Iterable<Key>;
  /** Dead letters of a namespace that are marked superseded. */
  marked(namespace: string): ReadonlySet<Key>;
}

const none: ReadonlySet<Key> = new Set();

export function createDeadLetterIndex(): DeadLetterIndex {
  const resources = new Map<Key, Key>();
  const byResource = new Map<Key, Set<Key>>();
  const markedIn = new Map<string, Set<Key>>();

  function place(sets: Map<string, Set<Key>>, at: string, key: Key, isIn: boolean): void {
    const set = sets.get(at) ?? new Set();
    if (isIn) set.add(key);
    else set.delete(key);
    if (set.size === 0) sets.delete(at);
    else sets.set(at, set);
  }

  return {
    heard(key, deadLetter) {
      const { namespace = '' } = refOf(key);
      const before = resources.get(key);
      // Not parsed as a whole, which is slow: all dead letters arrive at once when a process starts.
      const name = deadLetter?.data?.['resource_object'];
      const resource = name === undefined ? undefined : keyFor({ namespace, name });
      if (before !== undefined && before !== resource) place(byResource, before, key, false);
      if (resource === undefined) {
        resources.delete(key);
      } else {
        resources.set(key, resource);
        place(byResource, resource, key, true);
      }
      place(markedIn, namespace, key, deadLetter?.metadata.labels?.[label.superseded] === 'true');
    },
    ofResource: (resource) => byResource.get(resource) ?? none,
    marked: (namespace) => markedIn.get(namespace) ?? none,
  };
}
