// Cached ConfigMaps read as letters, once for each version: a fingerprint is taken of every letter's text, and passes over
// thousands of letters come often.
import {
  fromConfigMap,
  type LetterObject,
  type StoredLetter,
} from '../store/dead-letter-object.ts';

export type LetterReader = (object: LetterObject) => StoredLetter | undefined;

export function createLetterReader(): LetterReader {
  const known = new WeakMap<LetterObject, { readonly letter: StoredLetter | undefined }>();
  return (object) => {
    const found = known.get(object) ?? { letter: fromConfigMap(object) };
    known.set(object, found);
    return found.letter;
  };
}

/** What takes the most room in a letter, and is only read one by one. */
export function withoutPayload(object: LetterObject): LetterObject {
  const { payload: _payload, ...data } = object.data ?? {};
  return { ...object, data };
}
