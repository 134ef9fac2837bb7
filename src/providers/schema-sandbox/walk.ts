// Checks a tenant's schema and collects its patterns. It compiles nothing and visits every schema once, so it may run in
// the API process; slow steps run later in a worker.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonBytes,
} from '../../lib/json.ts';
import { schemaBounds } from '../../tenant-schema/bounds.ts';
import { type Loc, referenced } from '../../tenant-schema/structure.ts';
import { expansionProblems } from './expansion.ts';
import { keywordRefusal, keywordRule } from './keywords.ts';

export interface FoundPattern {
  readonly loc: Loc;
  readonly pattern: string;
}

/** A `Violation` of domain/errors, which providers do not get with the SDK. */
interface SchemaViolation {
  readonly loc: Loc;
  readonly msg: string;
  readonly type: string;
  readonly input?: JsonValue;
}

export interface Walked {
  /** At most 20; `loc` is relative to the schema. */
  readonly violations: readonly SchemaViolation[];
  readonly patterns: readonly FoundPattern[];
}

export const maxViolations = 20;
const inertNames = ['__proto__', 'constructor', 'prototype'];

export function walkSchema(schema: JsonObject): Walked {
  const bytes = jsonBytes(schema);
  if (bytes > schemaBounds.bytes) {
    const msg = `Schema should have at most ${schemaBounds.bytes} bytes, not ${bytes}`;
    return { violations: [{ loc: [], msg, type: 'too_long' }], patterns: [] };
  }
  const walk = new Walk(schema);
  walk.run();
  return {
    violations: walk.violations.slice(0, maxViolations),
    patterns: walk.patterns,
  };
}

class Walk {
  readonly violations: SchemaViolation[] = [];
  readonly patterns: FoundPattern[] = [];
  readonly #root: JsonObject;
  #schemas = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  run(): void {
    const { type } = this.#root;
    if (type !== undefined && type !== 'object') {
      this.#refuse(['type'], "A schema describes an object: its type must be 'object'", type);
    }
    this.#schema(this.#root, [], 1);
    if (this.violations.length > 0) return;
    for (const { loc, msg } of expansionProblems(this.#root)) this.#refuse(loc, msg);
  }

  #schema(schema: JsonValue, loc: Loc, depth: number): void {
    if (this.#full() || this.#schemas > schemaBounds.schemas) return;
    this.#schemas += 1;
    if (this.#schemas === schemaBounds.schemas + 1) {
      this.#refuse([], `Schema should have at most ${schemaBounds.schemas} subschemas`);
    }
    if (typeof schema === 'boolean' && depth > 1) return;
    if (!isJsonObject(schema)) {
      this.#refuse(loc, 'Schema should be an object, true or false', schema);
    } else if (depth > schemaBounds.depth) {
      this.#refuse(loc, `Schemas should be nested at most ${schemaBounds.depth} deep`);
    } else {
      for (const [keyword, value] of Object.entries(schema)) {
        this.#keyword(value, { keyword, loc: [...loc, keyword], depth });
      }
    }
  }

  #keyword(
    value: JsonValue,
    { keyword, loc, depth }: { keyword: string; loc: Loc; depth: number },
  ): void {
    const rule = keywordRule(keyword);
    switch (rule?.holds) {
      case undefined:
        this.#unsupported(loc, keyword, value);
        break;
      case 'schema':
        this.#schema(value, loc, depth + 1);
        break;
      case 'schemaList':
        this.#list(value, loc, depth);
        break;
      case 'patternMap':
        this.#patternNames(value, loc);
        this.#map(value, loc, depth);
        break;
      case 'schemaMap':
        this.#map(value, loc, depth);
        break;
      case 'pattern':
        this.#pattern(value, loc);
        break;
      case 'reference':
        this.#reference(value, loc);
        break;
      case 'value':
        this.#value(rule.problem(value), { keyword, loc, value });
        break;
    }
  }

  #value(
    problem: string | undefined,
    { keyword, loc, value }: { keyword: string; loc: Loc; value: JsonValue },
  ): void {
    if (problem !== undefined) this.#refuse(loc, `'${keyword}' ${problem}`, value);
  }

  #list(value: JsonValue, loc: Loc, depth: number): void {
    if (!isJsonArray(value) || value.length === 0) {
      this.#refuse(loc, 'Input should be a list of schemas', value);
    } else if (value.length > schemaBounds.branches) {
      this.#refuse(loc, `List should have at most ${schemaBounds.branches} schemas`);
    } else {
      for (const [index, schema] of value.entries()) {
        this.#schema(schema, [...loc, index], depth + 1);
      }
    }
  }

  #map(value: JsonValue, loc: Loc, depth: number): void {
    if (!isJsonObject(value)) {
      this.#refuse(loc, 'Input should be an object of schemas', value);
      return;
    }
    const members = Object.entries(value);
    if (members.length > schemaBounds.names) {
      this.#refuse(loc, `Object should have at most ${schemaBounds.names} members`);
      return;
    }
    for (const [name, schema] of members) {
      if (inertNames.includes(name)) this.#refuse([...loc, name], `Name '${name}' is not allowed`);
      else this.#schema(schema, [...loc, name], depth + 1);
    }
  }

  #patternNames(value: JsonValue, loc: Loc): void {
    if (!isJsonObject(value)) return;
    for (const pattern of Object.keys(value)) this.#pattern(pattern, [...loc, pattern]);
  }

  #pattern(value: JsonValue, loc: Loc): void {
    if (typeof value !== 'string') {
      this.#refuse(loc, "'pattern' must be a string", value);
    } else if (value.length > schemaBounds.patternLength) {
      this.#refuse(loc, `Pattern should have at most ${schemaBounds.patternLength} characters`);
    } else {
      this.patterns.push({ loc, pattern: value });
    }
  }

  #reference(value: JsonValue, loc: Loc): void {
    if (typeof value !== 'string' || referenced(this.#root, value) === undefined) {
      const msg = "'$ref' must be #, or #/$defs/<name> with a name that this schema defines";
      this.#refuse(loc, msg, value);
    }
  }

  #unsupported(loc: Loc, keyword: string, value: JsonValue): void {
    if (this.#full()) return;
    const input = small(value);
    this.violations.push({ loc, msg: keywordRefusal(keyword), type: 'extra_forbidden', ...input });
  }

  #refuse(loc: Loc, msg: string, value?: JsonValue): void {
    if (this.#full()) return;
    this.violations.push({ loc, msg, type: 'value_error', ...small(value) });
  }

  #full(): boolean {
    return this.violations.length >= maxViolations;
  }
}

/** A violation shows the input only if it is short. */
function small(value: JsonValue | undefined): { input?: JsonValue } {
  if (value === undefined || (typeof value === 'object' && value !== null)) return {};
  return { input: typeof value === 'string' ? value.slice(0, 200) : value };
}
