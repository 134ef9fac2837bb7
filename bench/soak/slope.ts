// Pure. The slope of samples over time, by least squares, with its standard error.

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Slope {
  readonly perUnit: number;
  readonly error: number;
}

/** Samples of a garbage-collected process depend on their neighbours; means of blocks hardly do. */
const minBlock = 3;
const maxBlocks = 20;

/** @param points ascending in x */
export function slopeOf(points: readonly Point[]): Slope {
  const means = blocksOf(points).map((block) => ({
    x: mean(block.map(({ x }) => x)),
    y: mean(block.map(({ y }) => y)),
  }));
  const center = { x: mean(means.map(({ x }) => x)), y: mean(means.map(({ y }) => y)) };
  const spread = sum(means.map(({ x }) => (x - center.x) ** 2));
  const perUnit = sum(means.map(({ x, y }) => (x - center.x) * (y - center.y))) / spread;
  const residuals = means.map(({ x, y }) => y - center.y - perUnit * (x - center.x));
  const variance = sum(residuals.map((each) => each ** 2)) / (means.length - 2);
  return { perUnit, error: Math.sqrt(variance / spread) };
}

/** How many standard errors it rises; 0 when it does not. */
export function rise({ perUnit, error }: Slope): number {
  return perUnit <= 0 ? 0 : perUnit / error;
}

function blocksOf(points: readonly Point[]): readonly (readonly Point[])[] {
  const size = Math.max(minBlock, Math.ceil(points.length / maxBlocks));
  const count = Math.floor(points.length / size);
  // The remainder belongs to the start, where the process is least steady.
  const skipped = points.length - count * size;
  return Array.from({ length: count }, (_, index) =>
    points.slice(skipped + index * size, skipped + (index + 1) * size),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
