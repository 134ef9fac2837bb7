// Gives heavy steps of many requests turns of the event loop, one step in each: several in one turn would add up for everybody
// who waits for the next. Short work goes first, or one organization with heavy requests would delay each step of all others.
// Work of many items, or a few large ones, is cut into slices.
import { AsyncLocalStorage } from 'node:async_hooks';

/** Nearly all short work has ended by then; what has not is no longer waited for. */
const shortMs = 30;
/** A heavy step waits this long at most, so that a flood of short work leaves it a share of the thread. */
const maxWaitMs = 25;

interface Work {
  isHeavy: boolean;
  /** Whether heavy steps of others wait for it. */
  endPrecedence(): void;
  onTurn: (ms: number) => void;
}

const current = new AsyncLocalStorage<Work>();
let shortUnderWay = 0;
let whenNone: (() => void) | undefined;

/**
 * Runs work that goes before heavy steps: until it calls `end`, takes a turn of its own, or is not short any more.
 * @example runShortWork((end) => { res.once('close', end); serve(req, res); });
 */
export function runShortWork(work: (end: () => void) => void): void {
  shortUnderWay += 1;
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    clearTimeout(timer);
    shortUnderWay -= 1;
    if (shortUnderWay === 0) whenNone?.();
  };
  const timer = setTimeout(end, shortMs);
  timer.unref();
  current.run({ isHeavy: false, endPrecedence: end, onTurn: () => undefined }, () => work(end));
}

/** Runs work in the background, whose heavy steps wait for short work. */
export function runBackgroundWork<T>(work: () => T): T {
  const none = () => undefined;
  return current.run({ isHeavy: false, endPrecedence: none, onTurn: none }, work);
}

/** @param onTurn called after each turn that the present work has for itself, with the time that the turn has taken */
export function measureTurns(onTurn: (ms: number) => void): void {
  const work = current.getStore();
  if (work !== undefined) work.onTurn = onTurn;
}

let last: Promise<void> = Promise.resolve();

/** Resolves in a turn in which nobody else's resolves, in the order of the calls, and after short work. */
export function ownTurn(): Promise<void> {
  const work = current.getStore();
  if (work !== undefined) {
    work.isHeavy = true;
    work.endPrecedence();
  }
  last = last.then(() => begin(work));
  return last;
}

/** Resolves in a turn without short work, or when it has waited long enough. */
async function begin(work: Work | undefined): Promise<void> {
  const waitsUntil = performance.now() + maxWaitMs;
  for (;;) {
    const leftMs = waitsUntil - performance.now();
    if (shortUnderWay > 0 && leftMs > 0) await noShortWork(leftMs);
    if (await beginTurn(work, waitsUntil)) return;
  }
}

/**
 * Short work that came during the last step is known only in the next turn: decided before, that step and this one would add up for it.
 * @returns false when there is short work to wait for
 */
function beginTurn(work: Work | undefined, waitsUntil: number): Promise<boolean> {
  return new Promise((resolve) => {
    let begun: number | undefined;
    setImmediate(() => {
      const now = performance.now();
      const begins = shortUnderWay === 0 || now >= waitsUntil;
      if (begins) begun = now;
      resolve(begins);
    });
    // The turn is what runs between the two: all promises that the first one settles.
    setImmediate(() => {
      if (begun !== undefined) work?.onTurn(performance.now() - begun);
    });
  });
}

/** Separates two steps of work whose size a tenant chooses. It takes a turn when an earlier step was heavy. */
export async function betweenSteps(): Promise<void> {
  if (current.getStore()?.isHeavy === true) await ownTurn();
}

function noShortWork(mostMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      whenNone = undefined;
      resolve();
    };
    const timer = setTimeout(done, mostMs);
    whenNone = done;
  });
}

/** A shorter text is parsed, compared and written again in about two milliseconds. */
const heavyCharacters = 32_768;

/** @returns whether a text of this length takes a turn of its own */
export function isHeavy(length: number): boolean {
  return length >= heavyCharacters;
}

/** Resolves in a turn of its own when what follows reads many characters or bytes. */
export async function turnToRead(length: number): Promise<void> {
  if (isHeavy(length)) await ownTurn();
}

/** @returns what a long text becomes, in a turn of its own; what follows has another one. Short ones take no turn. */
export async function inOwnTurn<T>(text: string, read: (text: string) => T): Promise<T> {
  if (!isHeavy(text.length)) return read(text);
  await ownTurn();
  const value = read(text);
  await ownTurn();
  return value;
}

const maxSliceMs = 3;

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
