// Works through many items in time slices, so that thousands of them, or a few large ones, do not block the event loop.
import { ownTurn } from '../lib/turns.ts';

const maxSliceMs = 10;

/** Calls `work` for each item, and lets others run every few milliseconds. */
export async function inTimeSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let isOver = beginSlice();
  for (const item of items) {
    work(item);
    if (!isOver()) continue;
    await ownTurn();
    isOver = beginSlice();
  }
}

/** @returns what tells whether the slice that begins now is over */
export function beginSlice(): () => boolean {
  const end = performance.now() + maxSliceMs;
  return () => performance.now() >= end;
}
