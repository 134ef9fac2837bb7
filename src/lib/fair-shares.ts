// Shares a number of units, such as bytes or requests, by one rule: each holder may hold as many as it leaves free. One alone gets
// half, two get a third each, so neither one nor two lock out others.

interface FairShares {
  /**
   * @param reserved units that are not meant for this use
   * @returns false when the holder would hold more than it leaves free; then it gets nothing
   */
  take(holder: string, units: number, reserved?: number): boolean;
  /** Counts units that are held already, whatever is free; gives back negative ones. */
  count(holder: string, units: number): void;
  heldBy(holder: string): number;
}

export function createFairShares(total: number): FairShares {
  const ofHolder = new Map<string, number>();
  let all = 0;

  const heldBy = (holder: string) => ofHolder.get(holder) ?? 0;
  function count(holder: string, units: number): void {
    const left = heldBy(holder) + units;
    if (left === 0) ofHolder.delete(holder);
    else ofHolder.set(holder, left);
    all += units;
  }

  return {
    heldBy,
    count,
    take(holder, units, reserved = 0) {
      if (heldBy(holder) + units > total - reserved - all - units) return false;
      count(holder, units);
      return true;
    },
  };
}
