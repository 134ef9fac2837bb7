// Finds a number in a value that is not the one that was written. Apart from the rule itself, which is also in the pages of the console.
import { isJsonArray, type JsonValue } from './json.ts';
import { isExactNumber } from './numbers.ts';

type NumberPath = readonly (string | number)[];

interface InexactNumberStep {
  readonly parent: InexactNumberStep | undefined;
  readonly key: string | number;
}

/**
 * A parser has already rounded an integer beyond 2^53, and the result is still beyond it.
 * @returns the path of a number that is not exact; undefined when there is none
 */
export function inexactNumberIn(whole: JsonValue): NumberPath | undefined {
  const left: { readonly value: JsonValue; readonly step: InexactNumberStep | undefined }[] = [
    { value: whole, step: undefined },
  ];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, step } = next;
    if (typeof value === 'number' && !isExactNumber(value)) return pathOf(step);
    if (typeof value !== 'object' || value === null) continue;
    const members = isJsonArray(value) ? value.entries() : Object.entries(value);
    for (const [key, member] of members) left.push({ value: member, step: { parent: step, key } });
  }
  return undefined;
}

function pathOf(step: InexactNumberStep | undefined): NumberPath {
  const path: (string | number)[] = [];
  for (let at = step; at !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}
