// Tracks from deliveries whether external providers answer. In memory, for this term of leadership; each change is reported
// once, so that it costs one write however many events there are.

import { originText } from '../events/no-answer.ts';
import type { Answer } from '../events/protocol.ts';
import type { Key } from '../kube/api.ts';
import type { Clock } from '../lib/clock.ts';

/** The last finding about an endpoint. */
export interface Reach {
  readonly url: string;
  readonly answers: boolean;
  readonly since: Date;
  /** A sentence why there is no answer. */
  readonly cause: string;
}

export interface Reachability {
  /** Records the outcome of a delivery. */
  delivered(provider: Key, url: string, answer: Answer): void;
  /** @returns undefined while there are too few deliveries */
  of(provider: Key): Reach | undefined;
  /** Calls back for each provider whose finding changes. @returns a function that unsubscribes */
  onChange(listener: (provider: Key) => void): () => void;
}

/** One delivery may hit a restart; so many in a row do not. */
const silencesThatCount = 3;
/** How long a finding stays unless an answer arrives: a provider that answers now and then costs few writes. */
const steadyMs = 10_000;

interface UrlHistory {
  readonly url: string;
  silences: number;
  silentSince: Date;
  found: Reach | undefined;
  foundAt: number;
}

export function createReachability({ clock }: { clock: Pick<Clock, 'now'> }): Reachability {
  const seen = new Map<Key, UrlHistory>();
  const listeners = new Set<(provider: Key) => void>();

  function seenOf(provider: Key, url: string): UrlHistory {
    const known = seen.get(provider);
    if (known?.url === url) return known;
    const made = { url, silences: 0, silentSince: clock.now(), found: undefined, foundAt: 0 };
    seen.set(provider, made);
    return made;
  }

  function find(provider: Key, one: UrlHistory, found: Omit<Reach, 'url'>): void {
    if (one.found?.answers === found.answers && one.found.cause === found.cause) return;
    const now = clock.now().getTime();
    if (!found.answers && now - one.foundAt < steadyMs) return;
    one.found = { url: one.url, ...found };
    one.foundAt = now;
    for (const listener of listeners) listener(provider);
  }

  return {
    delivered(provider, url, answer) {
      const one = seenOf(provider, url);
      if (answer.kind !== 'failed' || answer.unanswered !== true) {
        one.silences = 0;
        find(provider, one, { answers: true, since: clock.now(), cause: '' });
        return;
      }
      if (one.silences === 0) one.silentSince = clock.now();
      one.silences += 1;
      if (one.silences < silencesThatCount) return;
      find(provider, one, { answers: false, since: one.silentSince, cause: answer.message });
    },
    of: (provider) => seen.get(provider)?.found,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** @returns the state of an endpoint as a sentence */
export function reachInWords({ url, answers, since, cause }: Reach): string {
  const time = since.toISOString().replace(/\.\d+Z$/, 'Z');
  return answers
    ? `${originText(url)} has been reachable since ${time}`
    : `Unreachable since ${time}: ${cause}`;
}
