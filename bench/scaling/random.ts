// Random numbers of a simulation: the same seed gives the same numbers.

/** Returns a number in [0, 1). */
export type Random = () => number;

/** A generator of 32 bits of state (mulberry32): enough for a simulation, useless for secrets. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Exponential: the time between independent arrivals, and service times without memory. */
export function exponential(random: Random, mean: number): number {
  return -mean * Math.log(1 - random());
}

/** Log-normal, as answers of services are distributed: half are below the median, few take many times as long. */
export function logNormal(random: Random, median: number, sigma: number): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random()));
  return median * Math.exp(sigma * radius * Math.cos(2 * Math.PI * random()));
}

/**
 * Divides `total` among `count` so that the n-th gets 1/n of the first (Zipf), at least one and at most `most` each.
 * @returns the sizes, the largest first
 */
export function zipfSizes(total: number, count: number, most = total): number[] {
  if (total < count || total > most * count) {
    throw new RangeError(`${total} cannot be divided among ${count} with 1 to ${most} each`);
  }
  const sizeAt = (scale: number, at: number) =>
    Math.min(most, Math.max(1, Math.floor(scale / (at + 1))));
  const sum = (scale: number) => {
    let all = 0;
    for (let at = 0; at < count; at += 1) all += sizeAt(scale, at);
    return all;
  };
  let [low, high] = [0, most * count];
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (sum(middle) <= total) low = middle;
    else high = middle;
  }
  const sizes = Array.from({ length: count }, (_, at) => sizeAt(low, at));
  // Rounding leaves a few: they go to the first ones that have room.
  let left = total - sum(low);
  for (let at = 0; left > 0; at = (at + 1) % count) {
    if ((sizes[at] ?? most) >= most) continue;
    sizes[at] = (sizes[at] ?? 0) + 1;
    left -= 1;
  }
  return sizes;
}
