// Reads JSON that somebody typed, and finds where it is wrong: browsers differ in that, and one of them does not tell the place. Also refuses
// what they silently change: a name that occurs twice, and a number that is too large. Pure.
import type { JsonValue } from '../../../lib/json.ts';
import { isKeptNumber } from '../../../lib/numbers.ts';

export interface JsonProblem {
  readonly kind: 'expected' | 'duplicate' | 'number' | 'deep' | 'yaml' | 'map';
  /** The expected token, the name or number that is refused, or the message of the parser of YAML. */
  readonly what: string;
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

export type ReadJson =
  | {
      readonly value: JsonValue;
      /** Where each value begins, by its JSON Pointer without escapes. */
      readonly offsets: ReadonlyMap<string, number>;
    }
  | { readonly problem: JsonProblem };

export function readJson(text: string): ReadJson {
  const offsets = new Map<string, number>();
  try {
    scan(text, offsets);
    return { value: JSON.parse(text) as JsonValue, offsets };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { problem: jsonProblemAt(text, thrown) };
  }
}

/** @returns a problem with its line and column */
export function jsonProblemAt(
  text: string,
  { kind, what, offset }: Pick<JsonProblem, 'kind' | 'what' | 'offset'>,
): JsonProblem {
  const lines = text.slice(0, offset).split('\n');
  const column = (lines.at(-1) ?? '').length + 1;
  return { kind, what, offset, line: lines.length, column };
}

class Refusal extends Error {
  readonly kind: JsonProblem['kind'];
  readonly what: string;
  readonly offset: number;

  constructor(kind: JsonProblem['kind'], what: string, offset: number) {
    super(kind);
    this.kind = kind;
    this.what = what;
    this.offset = offset;
  }
}

const space = /[ \t\r\n]*/y;
const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
const deepest = 500;

/** @throws Refusal */
function scan(text: string, offsets: Map<string, number>): void {
  let at = 0;
  const take = (token: RegExp): string | undefined => {
    token.lastIndex = at;
    const [found] = token.exec(text) ?? [];
    at += found?.length ?? 0;
    return found;
  };
  const sign = (character: string): boolean => {
    const isNext = text[at] === character;
    if (isNext) at += 1;
    return isNext;
  };
  const expected = (what: string) => new Refusal('expected', what, at);

  /** The items between brackets, with commas between. */
  const sequence = (close: string, item: () => void) => {
    take(space);
    if (sign(close)) return;
    for (;;) {
      item();
      take(space);
      if (sign(close)) return;
      if (!sign(',')) throw expected(`, or ${close}`);
      take(space);
    }
  };
  const members = (path: string, depth: number) => {
    const names = new Set<string>();
    sequence('}', () => {
      const offset = at;
      const quoted = take(string);
      if (quoted === undefined) throw expected('a name in double quotes');
      const name = JSON.parse(quoted) as string;
      if (names.has(name)) throw new Refusal('duplicate', name, offset);
      names.add(name);
      take(space);
      if (!sign(':')) throw expected(':');
      value(`${path}/${name}`, depth);
    });
  };
  const items = (path: string, depth: number) => {
    let index = 0;
    sequence(']', () => {
      value(`${path}/${index}`, depth);
      index += 1;
    });
  };
  const numeral = () => {
    const offset = at;
    const found = take(number);
    if (found === undefined) throw expected('a value');
    if (!isKeptNumber(found, Number(found))) throw new Refusal('number', found, offset);
  };
  const value = (path: string, depth: number) => {
    take(space);
    if (depth > deepest) throw new Refusal('deep', `${deepest}`, at);
    offsets.set(path, at);
    if (sign('{')) members(path, depth + 1);
    else if (sign('[')) items(path, depth + 1);
    else if (take(string) === undefined && take(word) === undefined) numeral();
  };

  value('', 0);
  take(space);
  if (at < text.length) throw expected('the end');
}
