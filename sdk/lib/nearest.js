// Finds the known name that a misspelt one most likely means.
import { createBudget } from './budget.js';
/** A comparison takes the product of both lengths, which strangers choose: so many letters are compared in the time of a step. */
const lettersInStep = 12;
/**
 * @param budget names that are left when it is spent are not near
 * @returns undefined when none is near: of a short name one letter may differ, of others two, of long ones a third
 */
export function nearest(name, known, budget = createBudget()) {
    const text = name.toLowerCase();
    let best;
    let least = Math.max(name.length < 5 ? 1 : 2, Math.floor(name.length / 3)) + 1;
    for (const each of known) {
        if (Math.abs(each.length - name.length) >= least)
            continue;
        if (!budget.spend(1 + (name.length * each.length) / lettersInStep))
            break;
        const distance = editDistance(text, each.toLowerCase());
        if (distance >= least)
            continue;
        best = each;
        least = distance;
    }
    return best;
}
/** Counts insertions, removals, replacements and swaps of neighbours (optimal string alignment). */
export function editDistance(left, right) {
    // The last three rows of the table of distances.
    let older = [];
    let old = [];
    let row = Array.from({ length: right.length + 1 }, (_, at) => at);
    for (let end = 1; end <= left.length; end += 1) {
        [older, old, row] = [old, row, older];
        row[0] = end;
        for (let at = 1; at <= right.length; at += 1) {
            const isSame = left[end - 1] === right[at - 1];
            const isSwap = left[end - 1] === right[at - 2] && left[end - 2] === right[at - 1];
            row[at] = Math.min(old[at] + 1, row[at - 1] + 1, old[at - 1] + (isSame ? 0 : 1), isSwap ? older[at - 2] + 1 : end + at);
        }
    }
    return row[right.length];
}
