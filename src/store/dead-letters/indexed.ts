// Reduces dead letters to what groups, counts and progress need: a few hundred bytes each, of which those of one cause share the texts.
import { pattern } from '../../domain/failures/fingerprint.ts';
import { type Key, keyFor } from '../../kube/api.ts';
import {
  type DeadLetterObject,
  deadLetterNames,
  fromConfigMap,
  type StoredDeadLetter,
} from './object.ts';
import { causeKeyOf } from './redrives.ts';

export interface IndexedDeadLetter
  extends Pick<
    StoredDeadLetter,
    'eventId' | 'eventType' | 'provider' | 'cause' | 'errorCode' | 'failedAt' | 'createdVersion'
  > {
  /** The text that the failures of the cause have in common. */
  readonly errorPattern: string;
  /** Key of the failed object. */
  readonly resource: Key;
}

/** A ConfigMap in the cache of an index. */
export interface IndexedObject extends DeadLetterObject {
  /** Absent when the object is no dead letter. */
  readonly indexed?: IndexedDeadLetter;
}

type IndexedTexts = Pick<IndexedDeadLetter, 'provider' | 'cause' | 'errorCode' | 'errorPattern'>;

interface DeadLetterReducer {
  reduce(deadLetter: StoredDeadLetter): IndexedDeadLetter;
  /** Reduces a cached object. */
  trim(object: DeadLetterObject): IndexedObject;
  /** Receives every change of the cache: texts are kept as long as a dead letter of their cause is cached. */
  changed(before: IndexedObject | undefined, after: IndexedObject | undefined): void;
}

export function createDeadLetterReducer(): DeadLetterReducer {
  const known = new Map<string, { readonly texts: IndexedTexts; users: number }>();

  function textsOf(deadLetter: StoredDeadLetter): IndexedTexts {
    const key = causeKeyOf(deadLetter);
    const found = known.get(key)?.texts;
    if (found !== undefined) return found;
    const { provider, cause, errorCode } = deadLetter;
    const errorPattern = pattern(deadLetter.errorMessage, deadLetterNames(deadLetter));
    const texts = { provider, cause, errorCode, errorPattern };
    known.set(key, { texts, users: 0 });
    return texts;
  }

  function use(by: number, { indexed }: IndexedObject): void {
    if (indexed === undefined) return;
    const key = causeKeyOf(indexed);
    const entry = known.get(key);
    if (entry === undefined) return;
    entry.users += by;
    if (entry.users <= 0) known.delete(key);
  }

  function reduce(deadLetter: StoredDeadLetter): IndexedDeadLetter {
    const { eventId, eventType, failedAt, createdVersion, resource } = deadLetter;
    const { provider, cause, errorCode, errorPattern } = textsOf(deadLetter);
    const texts = { provider, cause, errorCode, errorPattern };
    return { eventId, eventType, failedAt, createdVersion, resource: keyFor(resource), ...texts };
  }

  return {
    reduce,
    trim(object) {
      const deadLetter = fromConfigMap(object);
      const { name, namespace = '', uid = '', resourceVersion = '' } = object.metadata;
      const metadata = { name, namespace, uid, resourceVersion };
      return deadLetter === undefined ? { metadata } : { metadata, indexed: reduce(deadLetter) };
    },
    changed(before, after) {
      // In this order: the texts stay for a changed dead letter of the same cause.
      if (after !== undefined) use(1, after);
      if (before !== undefined) use(-1, before);
    },
  };
}
