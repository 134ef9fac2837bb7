// Limits concurrent deliveries per provider, so that a slow one occupies only its own slots and no other's worker. A
// provider that stopped answering gets one event at a time until it answers again: its circuit breaker. A provider that answers 429 for
// all events receives none until that time; then one event probes it.
import type { Key } from '../../../../kube/api.ts';
import { backgroundTimers, type Timers } from '../../../../kube/timers.ts';
import type { Clock } from '../../../../lib/clock.ts';
import type { DeliveryLimit, DeliveryOutcome } from '../gate.ts';

/** Concurrent events to one pod of a provider. Handlers mostly wait for others, so a few dozen cost little. */
export const defaultConcurrentDeliveries = 32;

/** So many deliveries in a row without any answer mean that the provider is down, and not that one event is poison. */
const silencesToOpen = 5;

export interface ProviderLimit<Silence>
  extends Required<Pick<DeliveryLimit<Silence>, 'enter' | 'leave' | 'forget' | 'alive'>> {
  /** Returns whether the provider answers, and has a slot that no event needs. */
  hasSpare(provider: string): boolean;
  /** @returns the number of events that are being delivered or wait for a slot */
  waiting(provider: string): number;
}

interface ProviderState<Silence> {
  underWay: number;
  /** Attempts by the key that waits for a slot. */
  readonly queue: Map<Key, string>;
  silences: number;
  readonly refused: Map<Key, { readonly attempt: string; readonly silence: Silence }>;
  hold: Throttle | undefined;
}

interface Throttle {
  /** Until then nothing is sent, on the monotonic clock. */
  readonly until: number;
  /** After that: whether the event is under way that tries first. */
  isTried: boolean;
  cancel: () => void;
}

/** The event that should try first may have ended meanwhile; then another one does. */
const tryAgainMs = 5_000;

interface ProviderLimitOptions {
  /** @returns the number of slots of a provider, which changes with its pods */
  readonly width: (provider: string) => number;
  readonly onFree: (key: Key) => void;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly timers?: Timers;
  /** @returns how long, from now, the wait lasts that a provider requested from the controller before this one; called once for each provider */
  readonly heldBeforeMs?: (provider: string) => number;
}

export function createProviderLimit<Silence>({
  width,
  onFree,
  clock,
  timers = backgroundTimers,
  heldBeforeMs = () => 0,
}: ProviderLimitOptions): ProviderLimit<Silence> {
  const states = new Map<string, ProviderState<Silence>>();
  const known = new Set<string>();

  function widthOf(name: string, state: ProviderState<Silence>, isForced = false): number {
    const { silences, hold, underWay } = state;
    const slots = Math.min(width(name), silences < silencesToOpen ? Infinity : 1);
    if (hold === undefined || isForced) return slots;
    const mayTry = clock.monotonic() >= hold.until && !hold.isTried;
    // Beside what has been under way since before the wait.
    return mayTry ? Math.min(width(name), underWay + 1) : 0;
  }

  function holdUntil(name: string, state: ProviderState<Silence>, ms: number): void {
    const until = clock.monotonic() + ms;
    if (state.hold !== undefined && state.hold.until >= until) return;
    state.hold?.cancel();
    state.hold = { until, isTried: false, cancel: timers.after(ms, () => tryFirst(name, state)) };
  }

  /** Hands out one key after the other until one has entered, or none waits. */
  function tryFirst(name: string, state: ProviderState<Silence>): void {
    const { hold } = state;
    if (hold === undefined || hold.isTried) return;
    const left = hold.until - clock.monotonic();
    if (left > 0) {
      hold.cancel = timers.after(left, () => tryFirst(name, state));
    } else if (state.queue.size > 0) {
      free(name, state);
      hold.cancel = timers.after(tryAgainMs, () => tryFirst(name, state));
    } else if (state.underWay === 0) {
      states.delete(name);
    } else {
      state.hold = undefined;
    }
  }

  function providerState(name: string): ProviderState<Silence> {
    const present = states.get(name);
    if (present !== undefined) return present;
    const made: ProviderState<Silence> = {
      underWay: 0,
      queue: new Map(),
      silences: 0,
      refused: new Map(),
      hold: undefined,
    };
    states.set(name, made);
    const heldMs = known.has(name) ? 0 : heldBeforeMs(name);
    known.add(name);
    if (heldMs > 0) holdUntil(name, made, heldMs);
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

  function forgetIfIdle(name: string, state: ProviderState<Silence>): void {
    const { underWay, queue, silences, refused, hold } = state;
    const isIdle = underWay + queue.size + silences + refused.size === 0 && hold === undefined;
    if (isIdle) states.delete(name);
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
    // An event that began before the wait shows nothing about what happens after it.
    if (state.hold?.isTried === true) endHold(state);
  }

  function endHold(state: ProviderState<Silence>): void {
    state.hold?.cancel();
    state.hold = undefined;
  }

  function follow(
    name: string,
    state: ProviderState<Silence>,
    outcome: DeliveryOutcome<Silence>,
  ): void {
    if (outcome === 'nothing') return;
    if (outcome !== 'answered' && 'silence' in outcome) {
      state.silences += 1;
      if (state.silences >= silencesToOpen) refuseAll(state, outcome.silence);
      return;
    }
    if (outcome !== 'answered') holdUntil(name, state, outcome.holdMs);
    answers(state);
  }

  /** The first has ended without an answer. */
  function tryAnother(name: string, state: ProviderState<Silence>, hold: Throttle): void {
    hold.isTried = false;
    hold.cancel();
    hold.cancel = timers.after(tryAgainMs, () => tryFirst(name, state));
  }

  return {
    enter({ provider: name, key, attempt = '', isForced = false }) {
      const state = providerState(name);
      const refused = state.refused.get(key);
      state.refused.delete(key);
      if (refused?.attempt === attempt) return { enter: 'refused', silence: refused.silence };
      if (state.underWay < widthOf(name, state, isForced)) {
        state.underWay += 1;
        state.queue.delete(key);
        if (state.hold !== undefined && !isForced) state.hold.isTried = true;
        return { enter: 'go' };
      }
      state.queue.set(key, attempt);
      return { enter: 'queued' };
    },
    leave({ provider: name }, outcome) {
      const state = providerState(name);
      state.underWay -= 1;
      follow(name, state, outcome);
      if (state.hold?.isTried === true) tryAnother(name, state, state.hold);
      free(name, state);
      forgetIfIdle(name, state);
    },
    forget({ provider: name, key }) {
      const state = states.get(name);
      if (state === undefined) return;
      state.queue.delete(key);
      // A key that was handed out and does not enter passes on its slot.
      free(name, state);
      forgetIfIdle(name, state);
    },
    alive(name) {
      const state = states.get(name);
      if (state === undefined) return;
      answers(state);
      free(name, state);
    },
    hasSpare(name) {
      const state = states.get(name);
      if (state === undefined) return width(name) > 0;
      const { hold, silences, queue, underWay } = state;
      const isQuiet = hold === undefined && silences < silencesToOpen && queue.size === 0;
      return isQuiet && underWay < width(name);
    },
    waiting(name) {
      const { underWay = 0, queue } = states.get(name) ?? {};
      return underWay + (queue?.size ?? 0);
    },
  };
}
