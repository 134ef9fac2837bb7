// Gives heavy steps of many requests turns of the event loop, one step in each: several in one turn would add up for everybody
// who waits for the next. Work of many items, or a few large ones, is cut into slices.

let last: Promise<void> = Promise.resolve();

/** Resolves in a turn in which nobody else's resolves, in the order of the calls. */
export function ownTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}

/** A shorter text is parsed, compared and written again in about two milliseconds. */
const heavyCharacters = 32_768;

/** @returns what a long text becomes, in a turn of its own; what follows has another one. Short ones take no turn. */
export async function inOwnTurn<T>(text: string, read: (text: string) => T): Promise<T> {
  if (text.length < heavyCharacters) return read(text);
  await ownTurn();
  const value = read(text);
  await ownTurn();
  return value;
}

const maxSliceMs = 10;

/** @returns a function that returns whether the slice that begins now is over */
export function beginSlice(): () => boolean {
  const end = performance.now() + maxSliceMs;
  return () => performance.now() >= end;
}

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
