// Finds the known name that a misspelt one most likely means.

/** Of all comparisons: one takes the product of both lengths, which strangers choose. Names beyond them are not near. */
const maxSteps = 250_000;

/** @returns undefined when none is near: of a short name one letter may differ, of others two, of long ones a third */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(name.length < 5 ? 1 : 2, Math.floor(name.length / 3)) + 1;
  let left = maxSteps;
  for (const each of known) {
    if (Math.abs(each.length - name.length) >= least) continue;
    left -= name.length * each.length;
    if (left < 0) break;
    const distance = distanceOf(name.toLowerCase(), each.toLowerCase());
    if (distance >= least) continue;
    best = each;
    least = distance;
  }
  return best;
}

/** Counts insertions, removals, replacements and swaps of neighbours (optimal string alignment). */
function distanceOf(left: string, right: string): number {
  const rows: number[][] = [];
  const between = (row: number, at: number) => rows[row]?.[at] ?? Math.max(row, at);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    rows[row] = current;
    for (let at = 1; at <= right.length; at += 1) {
      const isSame = left[row - 1] === right[at - 1];
      const isSwap = left[row - 1] === right[at - 2] && left[row - 2] === right[at - 1];
      const other = isSwap ? between(row - 2, at - 2) : between(row - 1, at - 1);
      current[at] = Math.min(
        between(row - 1, at) + 1,
        between(row, at - 1) + 1,
        isSame ? between(row - 1, at - 1) : other + 1,
      );
    }
  }
  return between(left.length, right.length);
}
