// Finds the known name that a misspelt one most likely means.

/** @returns undefined when none is near */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const each of known) {
    if (Math.abs(each.length - name.length) >= least) continue;
    const distance = distanceOf(name.toLowerCase(), each.toLowerCase());
    if (distance >= least) continue;
    best = each;
    least = distance;
  }
  return best;
}

/** Counts insertions, removals and replacements (Levenshtein); a swap of neighbours counts as two. */
function distanceOf(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...left].entries()) {
    const current = [row + 1];
    for (const [at, other] of [...right].entries()) {
      const replaced = (previous[at] ?? 0) + (letter === other ? 0 : 1);
      current.push(Math.min(replaced, (previous[at + 1] ?? 0) + 1, (current[at] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
