// Cached ConfigMaps read as letters, once for each version, and held against their resources once for each version of both:
// a fingerprint is taken of every letter's text and a hash of every spec, and passes over thousands of letters come often.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Resource } from '../../crds/resource.ts';
import {
  fromConfigMap,
  type LetterObject,
  type StoredLetter,
} from '../../store/dead-letters/object.ts';
import { type Standing, standingOf } from '../../store/dead-letters/standing.ts';

export interface LetterReader {
  /** @returns undefined when the object is no letter */
  read(object: LetterObject): StoredLetter | undefined;
  standing(letter: StoredLetter, resource: Resource | undefined): Standing;
  /** Reads many ahead, and lets others have the event loop in between. */
  readAhead(objects: Iterable<LetterObject>): Promise<void>;
}

interface Seen {
  readonly resource: Resource | undefined;
  readonly standing: Standing;
}

const longestTurnMs = 10;

export function createLetterReader(): LetterReader {
  const known = new WeakMap<LetterObject, { readonly letter: StoredLetter | undefined }>();
  const seen = new WeakMap<StoredLetter, Seen>();

  function read(object: LetterObject): StoredLetter | undefined {
    const found = known.get(object) ?? { letter: fromConfigMap(object) };
    known.set(object, found);
    return found.letter;
  }

  return {
    read,
    standing(letter, resource) {
      const before = seen.get(letter);
      if (before !== undefined && before.resource === resource) return before.standing;
      const standing = standingOf(letter, resource);
      seen.set(letter, { resource, standing });
      return standing;
    },
    async readAhead(objects) {
      let turnBegan = performance.now();
      for (const object of objects) {
        read(object);
        if (performance.now() - turnBegan < longestTurnMs) continue;
        await nextTurn();
        turnBegan = performance.now();
      }
    },
  };
}

/** What takes the most room in a letter, and is only read one by one. */
export function withoutPayload(object: LetterObject): LetterObject {
  const { payload: _payload, ...data } = object.data ?? {};
  return { ...object, data };
}
