// How many events one provider is sent at a time, so that a slow one holds its own lane and nobody else's worker.
// A provider that stopped answering gets one event at a time until it answers again: the circuit breaker of its lane.
import type { Key } from '../../kube/api.ts';

/** Events under way to one provider of one organization. Handlers mostly wait for others, so a few dozen cost little. */
export const defaultLaneWidth = 32;

/** So many deliveries in a row without any answer mean that the provider is away, and not that one event is poison. */
const silencesToOpen = 5;

/** One attempt of one event, on behalf of a key. */
export interface Passenger {
  readonly key: Key;
  /** Unlike that of any other attempt. */
  readonly attempt: string;
}

export type Entry<Silence> =
  /** Deliver it, and `leave` the lane. */
  | { readonly enter: 'go' }
  /** The lane is full; the key is handed to `onFree` once there is room. */
  | { readonly enter: 'queued' }
  /** Another event tried the provider meanwhile, in vain: what it heard holds for this attempt too. */
  | { readonly enter: 'refused'; readonly silence: Silence };

/** What a delivery showed of the provider: an answer, no answer at all, or nothing because it was broken off here. */
export type Showed<Silence> = 'answered' | 'nothing' | { readonly silence: Silence };

export interface Lanes<Silence> {
  enter(lane: string, passenger: Passenger): Entry<Silence>;
  leave(lane: string, showed: Showed<Silence>): void;
}

interface Lane<Silence> {
  underWay: number;
  /** Attempts by the key that waits for room. */
  readonly queue: Map<Key, string>;
  silences: number;
  readonly refused: Map<Key, { readonly attempt: string; readonly silence: Silence }>;
}

export function createLanes<Silence>({
  width,
  onFree,
}: {
  width: number;
  onFree: (key: Key) => void;
}): Lanes<Silence> {
  const lanes = new Map<string, Lane<Silence>>();
  const widthOf = ({ silences }: Lane<Silence>) => (silences < silencesToOpen ? width : 1);

  function laneOf(name: string): Lane<Silence> {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    const made = { underWay: 0, queue: new Map(), silences: 0, refused: new Map() };
    lanes.set(name, made);
    return made;
  }

  function free(lane: Lane<Silence>): void {
    let room = widthOf(lane) - lane.underWay;
    for (const key of lane.queue.keys()) {
      if (room <= 0) return;
      room -= 1;
      lane.queue.delete(key);
      onFree(key);
    }
  }

  /** Sent one after the other, each would wait for the same time-out; so one speaks for all that waited with it. */
  function refuseAll(lane: Lane<Silence>, silence: Silence): void {
    const waiting = [...lane.queue];
    lane.queue.clear();
    for (const [key, attempt] of waiting) {
      lane.refused.set(key, { attempt, silence });
      onFree(key);
    }
  }

  return {
    enter(name, { key, attempt }) {
      const lane = laneOf(name);
      const refused = lane.refused.get(key);
      lane.refused.delete(key);
      if (refused?.attempt === attempt) return { enter: 'refused', silence: refused.silence };
      if (lane.underWay < widthOf(lane)) {
        lane.underWay += 1;
        return { enter: 'go' };
      }
      lane.queue.set(key, attempt);
      return { enter: 'queued' };
    },
    leave(name, showed) {
      const lane = laneOf(name);
      lane.underWay -= 1;
      if (showed === 'answered') {
        lane.silences = 0;
        lane.refused.clear();
      } else if (showed !== 'nothing') {
        lane.silences += 1;
        if (lane.silences >= silencesToOpen) refuseAll(lane, showed.silence);
      }
      free(lane);
      if (lane.underWay + lane.queue.size + lane.silences + lane.refused.size === 0) {
        lanes.delete(name);
      }
    },
  };
}
