// Works through many items in short turns, so that thousands of them do not block the event loop.
import { setImmediate as nextTurn } from 'node:timers/promises';

const maxTurnMs = 10;
/** The clock is read after so many items. */
const itemsBetween = 16;

/** Calls `work` for each item, and lets others run every few milliseconds. */
export async function inTurns<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let turnBegan = performance.now();
  let done = 0;
  for (const item of items) {
    work(item);
    done += 1;
    if (done % itemsBetween !== 0 || performance.now() - turnBegan < maxTurnMs) continue;
    await nextTurn();
    turnBegan = performance.now();
  }
}
