// Turns a JSON Pointer into the `loc` of a violation, in which items of lists have numbers. Pure.
import { isJsonArray, isJsonObject, type JsonValue } from '../../lib/json.ts';
import type { Loc } from '../../tenant-schema/structure.ts';

/** @returns the place of a part of a value, and the part; undefined when the value has none there */
export function locate(
  pointer: string,
  whole: JsonValue,
): { loc: Loc; input: JsonValue | undefined } {
  const loc: (string | number)[] = [];
  let input: JsonValue | undefined = whole;
  for (const escaped of pointer.split('/').slice(1)) {
    const step = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isJsonArray(input)) {
      loc.push(Number(step));
      input = input[Number(step)];
    } else {
      loc.push(step);
      input = isJsonObject(input) && Object.hasOwn(input, step) ? input[step] : undefined;
    }
  }
  return { loc, input };
}
