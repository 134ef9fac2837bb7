// Compiles a checked schema into a validator function. It generates and runs code: only a worker may use it.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { Violation } from '../../domain/errors.ts';
import type { JsonObject, JsonValue } from '../../lib/json.ts';
import { formats } from './formats.ts';
import { compilePattern } from './patterns.ts';
import { violationsOf } from './violations.ts';

/** Values with more members get only their first error: all errors of a big value may be millions. */
const maxMembersToExplain = 2_000;

export type Judge = (value: JsonValue) => readonly Violation[];

/** @throws the error of Ajv for an invalid schema */
export function compileSchema({ $schema: _dialect, ...schema }: JsonObject): Judge {
  const first = compile(schema, false);
  let every: ((value: JsonValue) => readonly ErrorObject[]) | undefined;
  return (value) => {
    const errors = first(value);
    if (errors.length === 0) return [];
    if (!isSmall(value)) return violationsOf(errors, { schema, value });
    every ??= compile(schema, true);
    return violationsOf(every(value), { schema, value });
  };
}

/** Creates a new Ajv for each schema: no tenant can reference or reuse what another one registered. */
function compile(
  schema: JsonObject,
  allErrors: boolean,
): (value: JsonValue) => readonly ErrorObject[] {
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    strict: true,
    // Checked by the walk, or harmless output of zod: tuples with optional ends, records with required names.
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allowUnionTypes: true,
    allowMatchingProperties: true,
    ownProperties: true,
    multipleOfPrecision: 9,
    unicodeRegExp: true,
    validateFormats: true,
    formats: { ...formats },
    keywords: ['sensitive'],
    // The walk validates the keywords, and compiling a meta-schema costs more than compiling most schemas.
    meta: false,
    validateSchema: false,
    messages: false,
    logger: false,
    code: { regExp: Object.assign(toRegExp, { code: 'regExp' }) },
  });
  const judge = ajv.compile(schema);
  return (value) => {
    // Only `true` means valid: an asynchronous validator would return a promise, which is truthy.
    if (judge(value) === true) return [];
    return judge.errors ?? [unexplained];
  };
}

const unexplained: ErrorObject = {
  instancePath: '',
  schemaPath: '#',
  keyword: 'unexplained',
  params: {},
};

/** Ajv reuses the matchers of a schema by their text. */
function toRegExp(pattern: string): { test(text: string): boolean; toString(): string } {
  const matcher = compilePattern(pattern);
  return { test: (text) => matcher.test(text), toString: () => `/${pattern}/` };
}

function isSmall(value: JsonValue): boolean {
  let members = 0;
  const waiting: JsonValue[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const inside = Object.values(next);
    members += inside.length;
    if (members > maxMembersToExplain) return false;
    for (const member of inside) waiting.push(member);
  }
  return true;
}
