// Compiles a checked schema into a validator function. It generates and runs code: only a worker may use it.
import {
  _,
  Ajv2020,
  type ErrorObject,
  type FuncKeywordDefinition,
  type ValidateFunction,
} from 'ajv/dist/2020.js';
import type { Violation } from '../../domain/errors.ts';
import { type JsonObject, type JsonValue, pointer } from '../../lib/json.ts';
import { isMultiple } from '../../lib/numbers.ts';
import { everySchema, type Loc } from '../../tenant-schema/structure.ts';
import { formats } from './formats.ts';
import { compilePattern } from './patterns.ts';
import type { Explaining } from './unions/explain.ts';
import { violationsOf } from './violations.ts';

/** Values with more members get only their first error: all errors of a big value may be millions. */
const maxMembersToExplain = 2_000;

export type Judge = (value: JsonValue) => readonly Violation[];

/** @throws the error of Ajv for an invalid schema */
export function compileSchema({ $schema: _dialect, ...schema }: JsonObject): Judge {
  const first = compileWithAjv(schema, false);
  let every: Compiled | undefined;
  return (value) => {
    const errors = first.errors(value);
    if (errors.length === 0) return [];
    if (isSmall(value)) every ??= compileWithAjv(schema, true);
    const { errors: explain, errorsOfForm } = (isSmall(value) ? every : undefined) ?? first;
    return violationsOf(explain(value), { schema, value, errorsOfForm });
  };
}

interface Compiled extends Pick<Explaining, 'errorsOfForm'> {
  errors(value: JsonValue): readonly ErrorObject[];
}

/** Creates a new Ajv for each schema: no tenant can reference or reuse what another one registered. */
function compileWithAjv(schema: JsonObject, allErrors: boolean): Compiled {
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
    unicodeRegExp: true,
    validateFormats: true,
    formats: { ...formats },
    keywords: ['sensitive', 'immutable', 'x-from'],
    // The walk validates the keywords, and compiling a meta-schema costs more than compiling most schemas.
    meta: false,
    validateSchema: false,
    messages: false,
    logger: false,
    code: { regExp: Object.assign(toRegExp, { code: 'regExp' }) },
  });
  ajv.removeKeyword('multipleOf').addKeyword(multipleOfKeyword);
  const judge = ajv.addSchema(schema, rootKey).compile(schema);
  let places: ReadonlyMap<JsonValue, Loc> | undefined;
  return {
    errors: (value) => errorsOf(judge, value),
    errorsOfForm({ parentSchema, keyword, data }, index) {
      // Behind a `$ref` the `schemaPath` of an error restarts, so the place is found by the identity of the schema.
      places ??= new Map([...everySchema(schema)].map((each) => [each.schema, each.loc]));
      const place = places.get(parentSchema as JsonObject) ?? [];
      const path = [...place, keyword, index].reduce<string>(
        (to, each) => pointer(to, `${each}`),
        '',
      );
      const form = ajv.getSchema(`${rootKey}#${encodeURI(path)}`);
      const errors = form === undefined ? [] : errorsOf(form, data as JsonValue);
      // The union has failed: what nothing is said about must not count as valid.
      return errors.length === 0 ? [unexplained] : errors;
    },
  };
}

function errorsOf(validate: ValidateFunction, value: JsonValue): readonly ErrorObject[] {
  // Only `true` means valid: an asynchronous validator would return a promise, which is truthy.
  if (validate(value) === true) return [];
  return validate.errors ?? [unexplained];
}

const rootKey = 'root';

const multipleOfKeyword: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  compile: (step: number) => (value: number) => isMultiple(value, step),
  error: { message: '', params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
};

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
