// Records between which versions a cache has missed changes: a list shows only what is left of them. Pure.
import { isNewer } from './cache.ts';

interface Gap {
  /** The version of the cache before the list. */
  readonly after: string;
  /** The version of the list. */
  readonly until: string;
}

export interface Gaps {
  /** A list of version `until` follows a cache of version `after`, which is empty for the first list. */
  add(after: string, until: string): void;
  /**
   * Returns whether the state at a version is known: then the cache of now and the removals since tell everything that changed
   * after it. An object that was created and removed again within a gap is known to nobody here, but maybe to a reader at that version.
   */
  knows(version: string): boolean;
}

/** @param limit of gaps; what is before the oldest counts as unknown */
export function createGaps(limit = 32): Gaps {
  const gaps: Gap[] = [];
  let floor: string | undefined;
  return {
    add(after, until) {
      if (after === '') floor = until;
      else if (isNewer(until, after)) gaps.push({ after, until });
      if (gaps.length > limit) floor = gaps.shift()?.until;
    },
    knows(version) {
      if (floor === undefined || isNewer(floor, version)) return false;
      return !gaps.some(({ after, until }) => isNewer(version, after) && isNewer(until, version));
    },
  };
}
