// The secrets that are hidden in what one child prints: of its settings, of its events, and for some time of those that have ended, since
// output arrives late, and what a handler began prints after it. Events come and go faster than an automaton of all their secrets is built. So each
// secret is found by the first characters of its spellings, and a mask is made of those alone that a text has.
import {
  createSecretMask,
  minSecretLength,
  type SecretMask,
  secretSpellings,
} from '../../../domain/secrets/mask-text.ts';
import { monotonicMs } from '../messages.ts';

export interface ChildSecrets {
  /** @param id of the event; undefined for secrets of the settings, which stay */
  add(id: number | undefined, texts: readonly string[]): void;
  /** The event has ended: its secrets are forgotten later. */
  release(id: number): void;
  /** Returns whether anything can be hidden. */
  hasAny(): boolean;
  /** @returns the text with `[masked]` in place of each secret */
  text(text: string): string;
}

interface EventSecrets {
  readonly texts: string[];
  characters: number;
  endedAt: number;
}

const keptMs = 60_000;
/** The most events that have ended. */
const maxKept = 500;
const maxKeptCharacters = 524_288;
/** Comparisons with spellings that begin like a part of one text: some milliseconds. */
const maxComparisons = 200_000;

/**
 * @param isHolding whether the beginning of a line waits for its rest, with whatever secrets
 * @param now milliseconds of a clock that never goes back
 */
export function createChildSecrets(isHolding: () => boolean, now = monotonicMs): ChildSecrets {
  const running = new Map<number, EventSecrets>();
  /** In the order of their ends. */
  const ended = new Map<number, EventSecrets>();
  /** Several events may have the same one. */
  const holders = new Map<string, number>();
  const unindexed = new Set<string>();
  const index = createBeginnings();
  let endedCharacters = 0;
  let ofAll: SecretMask | undefined;

  function keep(text: string): void {
    const before = holders.get(text) ?? 0;
    holders.set(text, before + 1);
    if (before > 0) return;
    unindexed.add(text);
    ofAll = undefined;
  }

  function letGo(text: string): void {
    const left = (holders.get(text) ?? 0) - 1;
    if (left > 0) {
      holders.set(text, left);
      return;
    }
    holders.delete(text);
    if (!unindexed.delete(text)) index.remove(text);
    ofAll = undefined;
  }

  function forget(): void {
    for (const [id, { texts, characters, endedAt }] of ended) {
      const isFull = ended.size > maxKept || endedCharacters > maxKeptCharacters;
      const isOld = now() - endedAt > keptMs && !isHolding();
      if (!isFull && !isOld) return;
      ended.delete(id);
      endedCharacters -= characters;
      for (const text of texts) letGo(text);
    }
  }

  return {
    add(id, given) {
      const texts = given.filter(({ length }) => length >= minSecretLength);
      for (const text of texts) keep(text);
      // A handler has ended before its answer was sent, so nothing is told of an event that has ended.
      if (id === undefined) return;
      const secrets = running.get(id) ?? { texts: [], characters: 0, endedAt: 0 };
      running.set(id, secrets);
      secrets.texts.push(...texts);
      secrets.characters += texts.reduce((sum, { length }) => sum + length, 0);
    },
    release(id) {
      const secrets = running.get(id);
      if (secrets === undefined) return;
      running.delete(id);
      secrets.endedAt = now();
      ended.set(id, secrets);
      endedCharacters += secrets.characters;
      forget();
    },
    hasAny: () => holders.size > 0,
    text(given) {
      for (const text of unindexed) index.add(text);
      unindexed.clear();
      const found = index.secretsIn(given);
      forget();
      if (found === undefined) {
        ofAll ??= createSecretMask([...holders.keys()]);
        return ofAll.text(given);
      }
      return found.size === 0 ? given : createSecretMask([...found]).text(given);
    },
  };
}

/** Finds secrets by the first characters of their spellings. */
function createBeginnings() {
  /** The spellings that begin so, by their secret. */
  const beginnings = new Map<number, Map<string, string[]>>();

  return {
    add(secret: string): void {
      for (const spelling of new Set(secretSpellings(secret))) {
        if (spelling.length < minSecretLength) continue;
        const key = beginningKey(spelling);
        const bySecret = beginnings.get(key) ?? new Map<string, string[]>();
        beginnings.set(key, bySecret);
        bySecret.set(secret, [...(bySecret.get(secret) ?? []), spelling]);
      }
    },
    remove(secret: string): void {
      for (const spelling of secretSpellings(secret)) {
        const key = beginningKey(spelling);
        const bySecret = beginnings.get(key);
        bySecret?.delete(secret);
        if (bySecret?.size === 0) beginnings.delete(key);
      }
    },
    /** @returns those that a text has, or ends with a part of; undefined when it has too many beginnings to compare */
    secretsIn(text: string): ReadonlySet<string> | undefined {
      const found = new Set<string>();
      let comparisons = 0;
      let key = 0;
      for (let at = 0; at < text.length; at += 1) {
        key = nextKey(key, text.charCodeAt(at));
        const bySecret = beginnings.get(key);
        if (bySecret === undefined) continue;
        comparisons += bySecret.size;
        if (comparisons > maxComparisons) return undefined;
        for (const secret of secretsAt(bySecret, text, at + 1 - minSecretLength)) found.add(secret);
      }
      return found;
    },
  };
}

function* secretsAt(
  bySecret: ReadonlyMap<string, readonly string[]>,
  text: string,
  from: number,
): Iterable<string> {
  for (const [secret, spellings] of bySecret) {
    if (spellings.some((spelling) => hasSpellingAt(text, spelling, from))) yield secret;
  }
}

/** The end of a text that was cut may be the beginning of a secret. */
function hasSpellingAt(text: string, spelling: string, from: number): boolean {
  if (text.startsWith(spelling, from)) return true;
  return text.endsWith('…') && spelling.startsWith(text.slice(Math.max(0, from), -1));
}

/** @returns the key of the last four characters, of which each has eight bits of its own; others may have the same one */
function nextKey(before: number, code: number): number {
  return (before << 8) ^ code;
}

function beginningKey(spelling: string): number {
  let key = 0;
  for (let at = 0; at < minSecretLength; at += 1) key = nextKey(key, spelling.charCodeAt(at));
  return key;
}
