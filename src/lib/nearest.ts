// Finds the known name that a misspelt one most likely means.
import { createBudget } from './budget.ts';

/** A comparison takes the product of both lengths, which strangers choose: so many letters are compared in the time of a step. */
const lettersInStep = 16;

/**
 * @param budget names that are left when it is spent are not near
 * @returns undefined when none is near: of a short name one letter may differ, of others two, of long ones a third
 */
export function nearest(
  name: string,
  known: Iterable<string>,
  budget = createBudget(),
): string | undefined {
  const text = name.toLowerCase();
  let best: string | undefined;
  let least = Math.max(name.length < 5 ? 1 : 2, Math.floor(name.length / 3)) + 1;
  for (const each of known) {
    if (Math.abs(each.length - name.length) >= least) continue;
    if (!budget.spend(1 + (name.length * each.length) / lettersInStep)) break;
    const distance = distanceOf(text, each.toLowerCase());
    if (distance >= least) continue;
    best = each;
    least = distance;
  }
  return best;
}

/** Counts insertions, removals, replacements and swaps of neighbours (optimal string alignment). */
function distanceOf(left: string, right: string): number {
  const width = right.length + 1;
  // The last three rows of the table of distances.
  let [older, old, row] = [0, 0, 0].map(() => new Uint32Array(width)) as Rows;
  for (let at = 0; at < width; at += 1) row[at] = at;
  for (let end = 1; end <= left.length; end += 1) {
    [older, old, row] = [old, row, older];
    row[0] = end;
    const code = left.charCodeAt(end - 1);
    for (let at = 1; at < width; at += 1) {
      const other = right.charCodeAt(at - 1);
      const replaced = (old[at - 1] as number) + (code === other ? 0 : 1);
      let least = Math.min((old[at] as number) + 1, (row[at - 1] as number) + 1, replaced);
      if (code === right.charCodeAt(at - 2) && other === left.charCodeAt(end - 2)) {
        least = Math.min(least, (older[at - 2] as number) + 1);
      }
      row[at] = least;
    }
  }
  return row[right.length] as number;
}

type Rows = [Uint32Array, Uint32Array, Uint32Array];
