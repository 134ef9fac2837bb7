// Delivers suspects and culprits alone: one at a time for each provider, in a pod that has nothing else in flight. Other events go on in
// other pods, or between two such deliveries when there is one pod.
import { type Key, refOf } from '../../kube/api.ts';
import { backgroundTimers, type Timers } from '../../kube/timers.ts';
import type { Endpoints } from '../endpoints.ts';

/** Other events wait no longer for a pod to become idle: the time of one delivery. After a try they go on for as long. */
export const drainMs = 30_000;

type Entry =
  | { readonly enter: 'go'; readonly url: string }
  /** The key is handed to `onFree`. `isNext`: its pod is about to become idle. */
  | { readonly enter: 'queued'; readonly isNext: boolean }
  /** The provider has no pod, as one that runs elsewhere. */
  | { readonly enter: 'nowhere' };

export interface Isolation {
  /** @param provider `namespace/name` */
  enter(provider: Key, key: Key): Entry;
  /** After a delivery that `enter` let go. */
  leave(provider: Key): void;
  /** Call it when nothing is in flight to a URL any more. */
  idle(url: string): void;
  /** @returns the number of pods of a provider that take no other events */
  reserved(provider: Key): number;
  /** @returns the number of keys that are being delivered alone or wait for that */
  waiting(provider: Key): number;
}

interface IsolationOptions {
  readonly endpoints: Pick<Endpoints, 'urls' | 'load' | 'reserve' | 'release'>;
  readonly timers?: Timers;
  readonly onFree: (key: Key) => void;
  /** Called when a pod of a provider takes other events again. */
  readonly onRelease: (provider: Key) => void;
}

interface IsolationSlot {
  readonly key: Key;
  readonly url: string;
  isDelivering: boolean;
  cancel: () => void;
}

interface QueueState {
  readonly queue: Set<Key>;
  turn: IsolationSlot | undefined;
  /** Other events go on for a while, because no pod became idle in time. */
  isResting: boolean;
}

function mustWait({ turn, isResting }: QueueState, key: Key): boolean {
  return turn === undefined ? isResting : turn.key !== key;
}

export function createIsolation({
  endpoints,
  timers = backgroundTimers,
  onFree,
  onRelease,
}: IsolationOptions): Isolation {
  const states = new Map<Key, QueueState>();

  function providerState(provider: Key): QueueState {
    const known = states.get(provider);
    if (known !== undefined) return known;
    const made: QueueState = { queue: new Set(), turn: undefined, isResting: false };
    states.set(provider, made);
    return made;
  }

  function release(provider: Key, state: QueueState): void {
    if (state.turn === undefined) return;
    state.turn.cancel();
    endpoints.release(state.turn.url);
    state.turn = undefined;
    // Other events first: between two suspects they get their turn.
    onRelease(provider);
  }

  /** All of them: one whose event has ended meanwhile does not enter again. */
  function handOut(provider: Key, state: QueueState): void {
    const keys = [...state.queue];
    state.queue.clear();
    if (state.turn === undefined && keys.length === 0) states.delete(provider);
    for (const key of keys) onFree(key);
  }

  /** A pod that is busy for long, or a key that does not come back, must not hold up other events. */
  function giveUp(provider: Key, state: QueueState, turn: IsolationSlot): void {
    if (state.turn !== turn || turn.isDelivering) return;
    state.queue.add(turn.key);
    state.isResting = true;
    release(provider, state);
    // It gives back what it keeps while it is the next.
    onFree(turn.key);
    timers.after(drainMs, () => {
      state.isResting = false;
      handOut(provider, state);
    });
  }

  function takeTurn(
    provider: Key,
    state: QueueState,
    key: Key,
    urls: readonly string[],
  ): IsolationSlot {
    const [url = ''] = [...urls].sort((one, other) => endpoints.load(one) - endpoints.load(other));
    endpoints.reserve(url);
    const turn: IsolationSlot = { key, url, isDelivering: false, cancel: () => undefined };
    turn.cancel = timers.after(drainMs, () => giveUp(provider, state, turn));
    state.turn = turn;
    return turn;
  }

  return {
    enter(provider, key) {
      const { namespace = '', name } = refOf(provider);
      const urls = endpoints.urls(namespace, name);
      if (urls.length === 0) return { enter: 'nowhere' };
      const state = providerState(provider);
      state.queue.delete(key);
      if (mustWait(state, key)) {
        state.queue.add(key);
        return { enter: 'queued', isNext: false };
      }
      // Its pod may have ended before it became idle.
      if (state.turn !== undefined && !urls.includes(state.turn.url)) release(provider, state);
      const turn = state.turn ?? takeTurn(provider, state, key, urls);
      if (endpoints.load(turn.url) > 0) return { enter: 'queued', isNext: true };
      turn.cancel();
      turn.isDelivering = true;
      return { enter: 'go', url: turn.url };
    },
    leave(provider) {
      const state = providerState(provider);
      release(provider, state);
      handOut(provider, state);
    },
    idle(url) {
      for (const { turn } of states.values()) {
        if (turn?.url === url && !turn.isDelivering) onFree(turn.key);
      }
    },
    reserved: (provider) => (states.get(provider)?.turn === undefined ? 0 : 1),
    waiting(provider) {
      const { queue, turn } = states.get(provider) ?? {};
      return (queue?.size ?? 0) + (turn === undefined ? 0 : 1);
    },
  };
}
