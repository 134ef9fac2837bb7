// Works through many items in short turns, so that thousands of them do not block the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';

const maxTurnMs = 10;

/** Calls `work` for each item, and lets others run every few milliseconds. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let turnBegan = performance.now();
  for (const item of items) {
    work(item);
    if (performance.now() - turnBegan < maxTurnMs) continue;
    await nextTurn();
    turnBegan = performance.now();
  }
}
