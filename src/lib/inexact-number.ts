// Finds a number in a value that is not the one that was written. Apart from the rule itself, which is also in the pages of the console.
import { isJsonArray, type JsonValue, stepPath, type ValueStep } from './json.ts';
import { isExactNumber } from './numbers.ts';

/**
 * A parser has already rounded an integer beyond 2^53, and the result is still beyond it.
 * @returns the path of a number that is not exact; undefined when there is none
 */
export function inexactNumberIn(whole: JsonValue): readonly (string | number)[] | undefined {
  const left: { readonly value: JsonValue; readonly step: ValueStep | undefined }[] = [
    { value: whole, step: undefined },
  ];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, step } = next;
    if (typeof value === 'number' && !isExactNumber(value)) return stepPath(step);
    if (typeof value !== 'object' || value === null) continue;
    const members = isJsonArray(value) ? value.entries() : Object.entries(value);
    for (const [key, member] of members) left.push({ value: member, step: { parent: step, key } });
  }
  return undefined;
}
