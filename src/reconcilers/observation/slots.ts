// Limits observations: at most a quarter of the slots of a pod, and only slots that no event needs. What finds none waits in line.
import type { Key } from '../../kube/api.ts';
import { backgroundTimers, type Timers } from '../../kube/timers.ts';

export interface ObservationSlots {
  /** @returns false when there is no slot; the key is handed to `onFree` once there may be one */
  enter(provider: Key, key: Key): boolean;
  leave(provider: Key): void;
  /** @returns the number of observations of a provider that are under way or wait */
  pending(provider: Key): number;
}

interface Options {
  /** @returns how many observations of a provider may be under way */
  readonly width: (provider: Key) => number;
  /** Returns whether the provider has a slot that no event needs. */
  readonly hasSpare: (provider: Key) => boolean;
  readonly onFree: (key: Key) => void;
  readonly timers?: Timers;
}

interface State {
  underWay: number;
  readonly waiting: Set<Key>;
  cancel: (() => void) | undefined;
}

/** Nothing tells when an event leaves its slot. */
const lookAgainMs = 1_000;

export function createObservationSlots({
  width,
  hasSpare,
  onFree,
  timers = backgroundTimers,
}: Options): ObservationSlots {
  const states = new Map<Key, State>();

  function stateOf(provider: Key): State {
    const known = states.get(provider);
    if (known !== undefined) return known;
    const made = { underWay: 0, waiting: new Set<Key>(), cancel: undefined };
    states.set(provider, made);
    return made;
  }

  function handOut(provider: Key, state: State): void {
    let free = hasSpare(provider) ? width(provider) - state.underWay : 0;
    for (const key of state.waiting) {
      if (free <= 0) break;
      free -= 1;
      state.waiting.delete(key);
      onFree(key);
    }
    lookAgain(provider, state);
  }

  function lookAgain(provider: Key, state: State): void {
    if (state.waiting.size > 0) {
      state.cancel ??= timers.after(lookAgainMs, () => {
        state.cancel = undefined;
        handOut(provider, state);
      });
    } else {
      state.cancel?.();
      state.cancel = undefined;
      if (state.underWay === 0) states.delete(provider);
    }
  }

  return {
    enter(provider, key) {
      const state = stateOf(provider);
      if (state.underWay < width(provider) && hasSpare(provider)) {
        state.waiting.delete(key);
        state.underWay += 1;
        return true;
      }
      state.waiting.add(key);
      lookAgain(provider, state);
      return false;
    },
    leave(provider) {
      const state = stateOf(provider);
      state.underWay -= 1;
      handOut(provider, state);
    },
    pending(provider) {
      const { underWay = 0, waiting } = states.get(provider) ?? {};
      return underWay + (waiting?.size ?? 0);
    },
  };
}
