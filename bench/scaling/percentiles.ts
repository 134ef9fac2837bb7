/** @returns NaN when there is no value, or one is missing: something never ended then */
export function percentileOf(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  // NaN is sorted to the end.
  if (Number.isNaN(sorted.at(-1) ?? Number.NaN)) return Number.NaN;
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
