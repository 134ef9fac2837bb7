// The position of a reader in the logs of several pods: per pod, the time of its last line and how many lines had that time.
// Pure.
import { isoSecond } from '../../lib/clock.ts';

export interface Position {
  /** Epoch seconds, a dot and nine digits. */
  readonly time: string;
  readonly count: number;
}

type Positions = ReadonlyMap<string, Position>;

const form = /^([a-z0-9][-a-z0-9.]{0,252})=(\d{11}\.\d{9})\+(\d{1,9})$/;
const maxPods = 50;

/** @returns one word without white space, for the id of an event stream */
export function positionsText(positions: Positions): string {
  return [...positions].map(([pod, { time, count }]) => `${pod}=${time}+${count}`).join(',');
}

/** @returns undefined for a text that is no position */
export function readPositions(text: string): Positions | undefined {
  const found = new Map<string, Position>();
  for (const part of text.split(',').slice(0, maxPods)) {
    const [, pod, time, count] = form.exec(part) ?? [];
    if (pod === undefined || time === undefined) return undefined;
    found.set(pod, { time, count: Number(count) });
  }
  return found;
}

/** @returns a time in whole seconds, for a stream that contains everything after the position */
export function sinceOf({ time }: Position): string {
  return isoSecond(Number(time.slice(0, time.indexOf('.'))));
}

interface Cursor {
  /** @returns whether the line comes after the position at which the stream was opened */
  isNew(time: string | undefined): boolean;
  readonly position: Position | undefined;
}

/** Follows one stream of one pod, which was opened at a position or at its beginning. */
export function cursorAt(start: Position | undefined): Cursor {
  let position = start;
  let repeated = start?.count ?? 0;
  let isSkipping = start !== undefined;

  function isRepeated(time: string): boolean {
    if (start === undefined || time < start.time) return true;
    if (time > start.time || repeated === 0) return false;
    repeated -= 1;
    return true;
  }

  return {
    isNew(time) {
      // The rest of a long line belongs to its beginning.
      if (time === undefined) return !isSkipping;
      if (isSkipping && isRepeated(time)) return false;
      isSkipping = false;
      // stdout and stderr have times of their own: a line may be older than the one before it.
      if (position === undefined || time > position.time) position = { time, count: 1 };
      else if (time === position.time) position = { time, count: position.count + 1 };
      return true;
    },
    get position() {
      return position;
    },
  };
}
