// Parses JSON and rejects what JSON.parse would silently lose or change: duplicate keys, numbers outside of a double, lone
// surrogates, `__proto__`; also too deep or too many values. Everything else parses as with JSON.parse.
import { InvalidRequest } from '../../domain/errors.ts';
import type { JsonValue } from '../../lib/json.ts';
import { isExactNumber, vanishes } from '../../lib/numbers.ts';
import { beginSlice, ownTurn } from '../../lib/turns.ts';

export interface JsonLimits {
  /** The maximum nesting of objects and arrays, including the outermost one. */
  readonly depth: number;
  /** The maximum number of values, including containers. */
  readonly nodes: number;
}

/** @throws InvalidRequest with `loc` `["body", position]` when the text is not JSON, `["body", …path]` for a rejected value */
export function parseStrictJson(text: string, limits: JsonLimits): JsonValue {
  return new JsonReader(text, limits).document();
}

/** Like `parseStrictJson`, and lets others run between the items of the lists in the outermost object, such as those of a batch. */
export async function parseLongJson(text: string, limits: JsonLimits): Promise<JsonValue> {
  await ownTurn();
  let isOver = beginSlice();
  const steps = new JsonReader(text, limits).inSteps();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (!isOver()) continue;
    await ownTurn();
    isOver = beginSlice();
  }
}

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const literalPattern = /true|false|null/y;
const quote = 0x22;
const backslash = 0x5c;

class JsonReader {
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #path: (string | number)[] = [];
  #at = 0;
  #nodes = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  document(): JsonValue {
    const value = this.#value(1);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#malformed('Extra data');
    return value;
  }

  *inSteps(): Generator<void, JsonValue> {
    this.#skipSpace();
    if (this.#text[this.#at] !== '{') return this.document();
    this.#count();
    const object: Record<string, JsonValue> = {};
    this.#at += 1;
    if (!this.#take('}')) {
      do {
        const key = this.#name(object);
        this.#skipSpace();
        object[key] = this.#text[this.#at] === '[' ? yield* this.#items() : this.#value(2);
        this.#path.pop();
      } while (this.#take(','));
      if (!this.#take('}')) throw this.#malformed("Expecting ',' delimiter");
    }
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#malformed('Extra data');
    return object;
  }

  *#items(): Generator<void, JsonValue> {
    this.#count();
    const array: JsonValue[] = [];
    this.#at += 1;
    if (this.#take(']')) return array;
    do {
      this.#item(array, 2);
      yield;
    } while (this.#take(','));
    if (!this.#take(']')) throw this.#malformed("Expecting ',' delimiter");
    return array;
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes <= this.#limits.nodes) return;
    throw this.#refused('too_many_values', `The body has more than ${this.#limits.nodes} values`);
  }

  #value(depth: number): JsonValue {
    this.#skipSpace();
    this.#count();
    const next = this.#text[this.#at];
    if (next === '{' || next === '[') {
      if (depth > this.#limits.depth) {
        throw this.#refused('too_deep', `Nested more than ${this.#limits.depth} levels deep`);
      }
      return next === '{' ? this.#object(depth) : this.#array(depth);
    }
    return next === '"' ? this.#string() : this.#scalar();
  }

  #object(depth: number): JsonValue {
    const object: Record<string, JsonValue> = {};
    this.#at += 1;
    if (this.#take('}')) return object;
    do {
      const key = this.#name(object);
      object[key] = this.#value(depth + 1);
      this.#path.pop();
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#malformed("Expecting ',' delimiter");
    return object;
  }

  /** Reads the name of a member and the colon after it. */
  #name(object: object): string {
    this.#skipSpace();
    if (this.#text[this.#at] !== '"') {
      throw this.#malformed('Expecting property name enclosed in double quotes');
    }
    const key = this.#string();
    this.#path.push(key);
    if (key === '__proto__') throw this.#refused('value_error', 'This key is not allowed');
    if (Object.hasOwn(object, key)) throw this.#refused('value_error', 'Duplicate key');
    if (!this.#take(':')) throw this.#malformed("Expecting ':' delimiter");
    return key;
  }

  #array(depth: number): JsonValue {
    const array: JsonValue[] = [];
    this.#at += 1;
    if (this.#take(']')) return array;
    do {
      this.#item(array, depth);
    } while (this.#take(','));
    if (!this.#take(']')) throw this.#malformed("Expecting ',' delimiter");
    return array;
  }

  #item(array: JsonValue[], depth: number): void {
    this.#path.push(array.length);
    array.push(this.#value(depth + 1));
    this.#path.pop();
  }

  #string(): string {
    const start = this.#at;
    const value = this.#quoted();
    if (value.isWellFormed()) return value;
    throw this.#refused('value_error', 'The string contains a lone surrogate', {
      position: start,
    });
  }

  #quoted(): string {
    const start = this.#at;
    let escaped = false;
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === quote) {
        this.#at = at + 1;
        const inner = this.#text.slice(start + 1, at);
        return escaped ? this.#unescaped(start, at + 1) : inner;
      }
      if (code < 0x20) throw this.#malformed('Invalid control character', at);
      if (code === backslash) {
        escaped = true;
        at += 1;
      }
    }
    throw this.#malformed('Unterminated string', start);
  }

  #unescaped(start: number, end: number): string {
    try {
      return JSON.parse(this.#text.slice(start, end)) as string;
    } catch {
      throw this.#malformed('Invalid escape', start);
    }
  }

  #scalar(): JsonValue {
    literalPattern.lastIndex = this.#at;
    const literal = literalPattern.exec(this.#text)?.[0];
    if (literal !== undefined) {
      this.#at += literal.length;
      return literal === 'null' ? null : literal === 'true';
    }
    numberPattern.lastIndex = this.#at;
    const number = numberPattern.exec(this.#text);
    if (number === null) throw this.#malformed('Expecting value');
    this.#at += number[0].length;
    return this.#number(number[0]);
  }

  /** Fractions are floating point and round; integers must be exact, in every spelling. */
  #number(text: string): number {
    const value = Number(text);
    const input = text.slice(0, 64);
    if (!Number.isFinite(value)) {
      throw this.#refused('finite_number', 'Input should be a finite number', { input });
    }
    if (!isExactNumber(value)) {
      throw this.#refused(
        'int_too_large',
        'Integers beyond 2^53 - 1 lose precision; send a string',
        { input },
      );
    }
    if (vanishes(text, value)) {
      throw this.#refused('value_error', 'The number is too small and would become 0', { input });
    }
    return value;
  }

  #take(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    for (; this.#at < this.#text.length; this.#at += 1) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }

  #malformed(error: string, position = this.#at): InvalidRequest {
    return malformedJson(error, position);
  }

  #refused(type: string, msg: string, details: Record<string, unknown> = {}): InvalidRequest {
    const { input, ...ctx } = details;
    return new InvalidRequest([
      {
        loc: ['body', ...this.#path],
        msg,
        type,
        ...(input === undefined ? {} : { input }),
        ...(Object.keys(ctx).length === 0 ? {} : { ctx }),
      },
    ]);
  }
}

/** @param position where the text stops being JSON, in UTF-16 code units (bytes for what is not UTF-8) */
export function malformedJson(error: string, position: number): InvalidRequest {
  return new InvalidRequest([
    {
      loc: ['body', position],
      msg: 'JSON decode error',
      type: 'json_invalid',
      input: {},
      ctx: { error },
    },
  ]);
}
