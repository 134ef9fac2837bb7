// Reads JSON that somebody typed, and says where it is wrong: browsers differ in that, and one of them does not say it. Also refuses
// what they silently change: a name that occurs twice, and a number that is too large. Pure.
import type { JsonValue } from '../../../domain/json.ts';

export interface JsonProblem {
  readonly kind: 'expected' | 'duplicate' | 'number' | 'deep';
  /** What was expected, or the name or number that is refused. */
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
  const reader = new Reader(text);
  try {
    reader.value('', 0);
    reader.end();
    return { value: JSON.parse(text) as JsonValue, offsets: reader.offsets };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return { problem: problemAt(text, thrown) };
  }
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

function problemAt(text: string, { kind, what, offset }: Refusal): JsonProblem {
  const lines = text.slice(0, offset).split('\n');
  return { kind, what, offset, line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
}

const space = /[ \t\r\n]*/y;
const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;
const deepest = 500;

class Reader {
  readonly offsets = new Map<string, number>();
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  value(path: string, depth: number): void {
    this.skip();
    if (depth > deepest) throw new Refusal('deep', `${deepest}`, this.at);
    this.offsets.set(path, this.at);
    const next = this.text[this.at];
    if (next === '{') this.members(path, depth);
    else if (next === '[') this.items(path, depth);
    else if (this.take(string) === undefined && this.take(word) === undefined) this.number();
  }

  end(): void {
    this.skip();
    if (this.at < this.text.length) throw this.expected('the end');
  }

  private members(path: string, depth: number): void {
    const names = new Set<string>();
    this.sequence('}', () => {
      const offset = this.at;
      const quoted = this.take(string);
      if (quoted === undefined) throw this.expected('a name in double quotes');
      const name = JSON.parse(quoted) as string;
      if (names.has(name)) throw new Refusal('duplicate', name, offset);
      names.add(name);
      this.skip();
      if (!this.sign(':')) throw this.expected(':');
      this.value(`${path}/${name}`, depth + 1);
    });
  }

  private items(path: string, depth: number): void {
    let index = 0;
    this.sequence(']', () => {
      this.value(`${path}/${index}`, depth + 1);
      index += 1;
    });
  }

  /** Reads what is between brackets, with commas between. */
  private sequence(close: string, item: () => void): void {
    this.at += 1;
    this.skip();
    if (this.sign(close)) return;
    for (;;) {
      item();
      this.skip();
      if (this.sign(close)) return;
      if (!this.sign(',')) throw this.expected(`, or ${close}`);
      this.skip();
    }
  }

  private number(): void {
    const offset = this.at;
    const text = this.take(number);
    if (text === undefined) throw this.expected('a value');
    const read = Number(text);
    const isExact = Number.isFinite(read) && (!/^-?\d+$/.test(text) || Number.isSafeInteger(read));
    if (!isExact) throw new Refusal('number', text, offset);
  }

  private skip(): void {
    this.take(space);
  }

  private sign(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private take(token: RegExp): string | undefined {
    token.lastIndex = this.at;
    const [found] = token.exec(this.text) ?? [];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private expected(what: string): Refusal {
    return new Refusal('expected', what, this.at);
  }
}
