// Random numbers that a failing test can repeat: print the seed in the name of the test.

/** The seed of a test: that of a variable such as `WATCH_SEED`, or another one in each run. */
export function seedFrom(variable: string): number {
  return Number(process.env[variable] ?? Date.now() % 2_147_483_647);
}

/** Mulberry32: the runs of a seed are equal. @returns a function that returns numbers from 0 to below 1 */
export function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
