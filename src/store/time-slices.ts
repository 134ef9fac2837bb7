// Works through many items in time slices, so that thousands of them do not block the event loop.
import { setImmediate as nextSlice } from 'node:timers/promises';

const maxSliceMs = 10;
/** The clock is read after so many items. */
const itemsBetween = 16;

/** Calls `work` for each item, and lets others run every few milliseconds. */
export async function inTimeSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let sliceBegan = performance.now();
  let done = 0;
  for (const item of items) {
    work(item);
    done += 1;
    if (done % itemsBetween !== 0 || performance.now() - sliceBegan < maxSliceMs) continue;
    await nextSlice();
    sliceBegan = performance.now();
  }
}
