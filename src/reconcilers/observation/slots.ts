// Limits observations: at most a quarter of the slots of a pod, and only slots that no event needs. An observation without one waits in line.
import type { Key } from '../../kube/api.ts';
import { backgroundTimers, type Timers } from '../../kube/timers.ts';
import type { DeliveryLimit } from '../resource/delivery/gate.ts';

export interface ObservationSlots extends Required<Pick<DeliveryLimit, 'enter' | 'leave'>> {
  /** The pass of a key begins: from here on it counts only if it enters. */
  arrived(key: Key): void;
  /** @returns the number of observations of a provider that are under way, wait, or were handed out and have not arrived */
  pending(provider: Key): number;
}

interface SlotOptions {
  /** @returns how many observations of a provider may be under way */
  readonly width: (provider: Key) => number;
  /** Returns whether the provider has a slot that no event needs. */
  readonly hasSpare: (provider: Key) => boolean;
  readonly onFree: (key: Key) => void;
  readonly timers?: Timers;
}

interface SlotState {
  underWay: number;
  readonly waiting: Set<Key>;
  handedOut: number;
  cancel: (() => void) | undefined;
}

/** Nothing tells when an event leaves its slot. */
const lookAgainMs = 1_000;

export function createObservationSlots({
  width,
  hasSpare,
  onFree,
  timers = backgroundTimers,
}: SlotOptions): ObservationSlots {
  const states = new Map<Key, SlotState>();
  /** Keys that were handed out, with their providers. Their passes may be far: the work queue has others before them. */
  const handedOut = new Map<Key, Key>();

  function stateOf(provider: Key): SlotState {
    const known = states.get(provider);
    if (known !== undefined) return known;
    const made = { underWay: 0, waiting: new Set<Key>(), handedOut: 0, cancel: undefined };
    states.set(provider, made);
    return made;
  }

  function arrived(key: Key): void {
    const provider = handedOut.get(key);
    if (provider === undefined) return;
    handedOut.delete(key);
    const state = stateOf(provider);
    state.handedOut -= 1;
    forgetIfIdle(provider, state);
  }

  function countOf(state: SlotState | undefined): number {
    return state === undefined ? 0 : state.underWay + state.waiting.size + state.handedOut;
  }

  function forgetIfIdle(provider: Key, state: SlotState): void {
    if (countOf(state) === 0) states.delete(provider);
  }

  function handOut(provider: Key, state: SlotState): void {
    let free = hasSpare(provider) ? width(provider) - state.underWay : 0;
    for (const key of state.waiting) {
      if (free <= 0) break;
      free -= 1;
      state.waiting.delete(key);
      handedOut.set(key, provider);
      state.handedOut += 1;
      onFree(key);
    }
    lookAgain(provider, state);
  }

  function lookAgain(provider: Key, state: SlotState): void {
    if (state.waiting.size > 0) {
      state.cancel ??= timers.after(lookAgainMs, () => {
        state.cancel = undefined;
        handOut(provider, state);
      });
    } else {
      state.cancel?.();
      state.cancel = undefined;
      forgetIfIdle(provider, state);
    }
  }

  return {
    enter({ provider, key }) {
      const state = stateOf(provider);
      if (state.underWay < width(provider) && hasSpare(provider)) {
        state.waiting.delete(key);
        state.underWay += 1;
        return { enter: 'go' };
      }
      state.waiting.add(key);
      lookAgain(provider, state);
      return { enter: 'queued' };
    },
    leave({ provider }) {
      const state = stateOf(provider);
      state.underWay -= 1;
      handOut(provider, state);
    },
    arrived,
    pending: (provider) => countOf(states.get(provider)),
  };
}
