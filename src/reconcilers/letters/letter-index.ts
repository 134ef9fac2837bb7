// Which letters speak of which resource, and which are marked as superseded: kept while letters are heard of, because passes
// over thousands of them would each look at all of them.
import type { Key } from '../../kube/api.ts';
import { refOf } from '../../kube/api.ts';
import type { LetterObject } from '../../store/dead-letter-object.ts';
import { label } from '../../store/kinds.ts';

export interface LetterIndex {
  /** Hears of a letter that was added, changed, or (undefined) removed. Safe to repeat. */
  heard(key: Key, letter: LetterObject | undefined): void;
  /** @returns the letters of a Resource, by its uid */
  ofResource(uid: string): Iterable<Key>;
  /** Letters of a namespace that are marked as superseded. */
  marked(namespace: string): ReadonlySet<Key>;
}

const none: ReadonlySet<Key> = new Set();

export function createLetterIndex(): LetterIndex {
  const uids = new Map<Key, string>();
  const byUid = new Map<string, Set<Key>>();
  const markedIn = new Map<string, Set<Key>>();

  function place(sets: Map<string, Set<Key>>, at: string, key: Key, isIn: boolean): void {
    const set = sets.get(at) ?? new Set();
    if (isIn) set.add(key);
    else set.delete(key);
    if (set.size === 0) sets.delete(at);
    else sets.set(at, set);
  }

  return {
    heard(key, letter) {
      const { namespace = '' } = refOf(key);
      const before = uids.get(key);
      // Not read as a whole, which takes its time: all letters are heard of at once when a process begins.
      const uid = letter?.data?.['resource_uid'];
      if (before !== undefined && before !== uid) place(byUid, before, key, false);
      if (uid === undefined) {
        uids.delete(key);
      } else {
        uids.set(key, uid);
        place(byUid, uid, key, true);
      }
      place(markedIn, namespace, key, letter?.metadata.labels?.[label.superseded] === 'true');
    },
    ofResource: (uid) => byUid.get(uid) ?? none,
    marked: (namespace) => markedIn.get(namespace) ?? none,
  };
}
