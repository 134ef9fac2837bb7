// Limits concurrent deliveries per provider, so that a slow one occupies only its own slots and no other's worker. A
// provider that stopped answering gets one event at a time until it answers again: its circuit breaker.
import type { Key } from '../../kube/api.ts';

/** Concurrent events to one pod of a provider. Handlers mostly wait for others, so a few dozen cost little. */
export const defaultConcurrentDeliveries = 32;

/** So many deliveries in a row without any answer mean that the provider is down, and not that one event is poison. */
const silencesToOpen = 5;

/** One attempt of one event, on behalf of a key. */
export interface Attempt {
  readonly key: Key;
  /** Unique to this attempt. */
  readonly attempt: string;
}

export type Entry<Silence> =
  /** Deliver it, and then call `leave`. */
  | { readonly enter: 'go' }
  /** All slots are taken; the key is handed to `onFree` once one is free. */
  | { readonly enter: 'queued' }
  /** Another event tried the provider meanwhile without an answer: its result applies to this attempt too. */
  | { readonly enter: 'refused'; readonly silence: Silence };

/** The result of a delivery for the provider: an answer, no answer at all, or nothing because it was aborted here. */
export type DeliveryOutcome<Silence> = 'answered' | 'nothing' | { readonly silence: Silence };

export interface ProviderLimiter<Silence> {
  enter(provider: string, attempt: Attempt): Entry<Silence>;
  leave(provider: string, outcome: DeliveryOutcome<Silence>): void;
  /** The provider works on an event: it is not down, although its answer may take long. */
  alive(provider: string): void;
  /** The number of slots has changed. */
  widened(provider: string): void;
  /** @returns the number of events that are being delivered or wait for a slot */
  waiting(provider: string): number;
}

interface ProviderState<Silence> {
  underWay: number;
  /** Attempts by the key that waits for a slot. */
  readonly queue: Map<Key, string>;
  silences: number;
  readonly refused: Map<Key, { readonly attempt: string; readonly silence: Silence }>;
}

export function createProviderLimiter<Silence>({
  width,
  onFree,
}: {
  /** @returns the number of slots of a provider, which changes with its pods */
  width: (provider: string) => number;
  onFree: (key: Key) => void;
}): ProviderLimiter<Silence> {
  const states = new Map<string, ProviderState<Silence>>();
  const widthOf = (name: string, { silences }: ProviderState<Silence>) =>
    Math.min(width(name), silences < silencesToOpen ? Infinity : 1);

  function providerState(name: string): ProviderState<Silence> {
    const known = states.get(name);
    if (known !== undefined) return known;
    const made = { underWay: 0, queue: new Map(), silences: 0, refused: new Map() };
    states.set(name, made);
    return made;
  }

  function free(name: string, state: ProviderState<Silence>): void {
    let slots = widthOf(name, state) - state.underWay;
    for (const key of state.queue.keys()) {
      if (slots <= 0) return;
      slots -= 1;
      state.queue.delete(key);
      onFree(key);
    }
  }

  /** Sent one after the other, each would wait for the same timeout; so one represents all that waited with it. */
  function refuseAll(state: ProviderState<Silence>, silence: Silence): void {
    const waiting = [...state.queue];
    state.queue.clear();
    for (const [key, attempt] of waiting) {
      state.refused.set(key, { attempt, silence });
      onFree(key);
    }
  }

  function answers(state: ProviderState<Silence>): void {
    state.silences = 0;
    state.refused.clear();
  }

  return {
    enter(name, { key, attempt }) {
      const state = providerState(name);
      const refused = state.refused.get(key);
      state.refused.delete(key);
      if (refused?.attempt === attempt) return { enter: 'refused', silence: refused.silence };
      if (state.underWay < widthOf(name, state)) {
        state.underWay += 1;
        return { enter: 'go' };
      }
      state.queue.set(key, attempt);
      return { enter: 'queued' };
    },
    leave(name, outcome) {
      const state = providerState(name);
      state.underWay -= 1;
      if (outcome === 'answered') {
        answers(state);
      } else if (outcome !== 'nothing') {
        state.silences += 1;
        if (state.silences >= silencesToOpen) refuseAll(state, outcome.silence);
      }
      free(name, state);
      if (state.underWay + state.queue.size + state.silences + state.refused.size === 0) {
        states.delete(name);
      }
    },
    alive(name) {
      const state = states.get(name);
      if (state === undefined) return;
      answers(state);
      free(name, state);
    },
    widened(name) {
      const state = states.get(name);
      if (state !== undefined) free(name, state);
    },
    waiting(name) {
      const { underWay = 0, queue } = states.get(name) ?? {};
      return underWay + (queue?.size ?? 0);
    },
  };
}
