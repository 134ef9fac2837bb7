// Maps Ajv errors to the violations of a 422 body, with the names and messages of pydantic. Pure.

import type { ErrorObject } from 'ajv';
import type { Violation } from '../../domain/errors.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../lib/json.ts';
import { truncate } from '../../lib/text.ts';
import { locate } from './locate.ts';
import { type Explaining, explainedErrors } from './unions/explain.ts';

type ExplainedViolation = Pick<Violation, 'type' | 'msg' | 'ctx'>;
type Params = Readonly<Record<string, unknown>>;

const maxViolations = 20;
/** A longer `input`, in characters of JSON, is omitted from the response. */
const maxInputLength = 1_024;

/** @returns at most 20 distinct violations; `loc` is relative to the value */
export function violationsOf(
  errors: readonly ErrorObject[],
  context: Explaining & { readonly value: JsonValue },
): readonly Violation[] {
  const found = new Map<string, Violation>();
  for (const error of explainedErrors(errors, context)) {
    const violation = violationOf(error, context.value);
    const key = JSON.stringify([violation.loc, violation.type, violation.msg]);
    if (!found.has(key)) found.set(key, violation);
    if (found.size === maxViolations) break;
  }
  return [...found.values()];
}

function violationOf(error: ErrorObject, whole: JsonValue): Violation {
  const { loc, input } = locate(error.instancePath, whole);
  const params: Params = error.params;
  const name = nameIn(error);
  if (name !== undefined) {
    const member = isJsonObject(input) && Object.hasOwn(input, name) ? input[name] : undefined;
    const shown = error.keyword === 'required' ? input : member;
    return { loc: [...loc, name], ...explainRule(error.keyword, params, input), ...inputOf(shown) };
  }
  if (error.propertyName !== undefined) {
    const { propertyName } = error;
    const explained = explainRule(error.keyword, params, propertyName);
    return { loc: [...loc, propertyName], ...explained, ...inputOf(propertyName) };
  }
  return { loc, ...explainRule(error.keyword, params, input), ...inputOf(input) };
}

/** Returns the member of an error whose `instancePath` only points to the enclosing object. */
function nameIn({ params }: ErrorObject): string | undefined {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = params;
  const name: unknown =
    missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName;
  return typeof name === 'string' ? name : undefined;
}

function inputOf(input: JsonValue | undefined): { input?: JsonValue } {
  if (input === undefined || JSON.stringify(input).length > maxInputLength) return {};
  return { input };
}

function explainRule(
  keyword: string,
  params: Params,
  input: JsonValue | undefined,
): ExplainedViolation {
  const explained = explanations[keyword]?.(params, input);
  return explained ?? { type: 'value_error', msg: 'Input is not valid' };
}

const missing = { type: 'missing', msg: 'Field required' };
const noForm = 'does not match any of the allowed forms';
const unmatched = ({ forms }: Params) =>
  valueError(typeof forms === 'string' ? `${noForm}: ${forms}` : noForm);
const extra = { type: 'extra_forbidden', msg: 'Extra inputs are not permitted' };
const extraItems = (params: Params, input: JsonValue | undefined): ExplainedViolation =>
  listLength('most', Number(params['limit'] ?? params['len']), input);

const explanations: Readonly<
  Record<string, (params: Params, input: JsonValue | undefined) => ExplainedViolation>
> = {
  required: ({ allowedValues }) => {
    if (!isJsonArray(allowedValues)) return missing;
    const { msg, ctx } = explainValues(allowedValues);
    return { ...missing, msg: `${missing.msg}. ${msg}`, ...(ctx && { ctx }) };
  },
  dependentRequired: () => missing,
  additionalProperties: () => extra,
  unevaluatedProperties: () => extra,
  propertyNames: () => extra,
  'false schema': () => extra,
  type: (params) => explainType(params['type']),
  enum: ({ allowedValues, meant }) => {
    const explained = explainValues(isJsonArray(allowedValues) ? allowedValues : []);
    if (typeof meant !== 'string') return explained;
    return { ...explained, msg: `${explained.msg}; did you mean '${meant}'?` };
  },
  const: ({ allowedValue }) => explainValues([allowedValue]),
  minLength: ({ limit }) => stringLength('least', Number(limit)),
  maxLength: ({ limit }) => stringLength('most', Number(limit)),
  minItems: ({ limit }, input) => listLength('least', Number(limit), input),
  maxItems: ({ limit }, input) => listLength('most', Number(limit), input),
  items: extraItems,
  unevaluatedItems: extraItems,
  minProperties: ({ limit }, input) => dictLength('least', Number(limit), input),
  maxProperties: ({ limit }, input) => dictLength('most', Number(limit), input),
  pattern: ({ pattern }) => ({
    type: 'string_pattern_mismatch',
    msg: `String should match pattern '${String(pattern)}'`,
    ctx: { pattern },
  }),
  format: ({ format }) => valueError(`is not a valid ${String(format)}`),
  minimum: ({ limit }) => bound('greater_than_equal', 'ge', 'greater than or equal to', limit),
  maximum: ({ limit }) => bound('less_than_equal', 'le', 'less than or equal to', limit),
  exclusiveMinimum: ({ limit }) => bound('greater_than', 'gt', 'greater than', limit),
  exclusiveMaximum: ({ limit }) => bound('less_than', 'lt', 'less than', limit),
  multipleOf: ({ multipleOf }) => bound('multiple_of', 'multiple_of', 'a multiple of', multipleOf),
  uniqueItems: ({ i, j }) => valueError(`has the same item at ${String(j)} and ${String(i)}`),
  contains: () => valueError('has too few or too many items of the kind it must contain'),
  anyOf: unmatched,
  oneOf: (params) =>
    isJsonArray(params['passingSchemas'])
      ? valueError('matches more than one of the allowed forms')
      : unmatched(params),
  not: () => valueError('has a form that is not allowed'),
};

function valueError(problem: string): ExplainedViolation {
  return { type: 'value_error', msg: `Value error, input ${problem}` };
}

const typeNames: Readonly<Record<string, ExplainedViolation>> = {
  string: { type: 'string_type', msg: 'Input should be a valid string' },
  number: { type: 'float_type', msg: 'Input should be a valid number' },
  integer: { type: 'int_type', msg: 'Input should be a valid integer' },
  boolean: { type: 'bool_type', msg: 'Input should be a valid boolean' },
  object: { type: 'dict_type', msg: 'Input should be a valid dictionary' },
  array: { type: 'list_type', msg: 'Input should be a valid list' },
  null: { type: 'none_required', msg: 'Input should be None' },
};

/** With several types, `null` is the least useful: `string or null` reads as an optional string. */
function explainType(type: unknown): ExplainedViolation {
  const all = (Array.isArray(type) ? type : [type]).map(String);
  const telling = all.length > 1 ? all.filter((name) => name !== 'null') : all;
  const [only] = telling;
  if (telling.length === 1 && only !== undefined) {
    return typeNames[only] ?? { type: 'value_error', msg: 'Input is not valid' };
  }
  return { type: 'value_error', msg: `Input should be one of ${all.join(', ')}` };
}

function explainValues(values: readonly unknown[]): ExplainedViolation {
  const quoted = values
    .slice(0, 50)
    .map((v) => (typeof v === 'string' ? `'${v}'` : JSON.stringify(v)));
  const last = quoted.at(-1) ?? '';
  const all = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${last}` : last;
  const expected = truncate(all, maxInputLength + 1);
  const type = quoted.length > 1 ? 'enum' : 'literal_error';
  return { type, msg: `Input should be ${expected}`, ctx: { expected } };
}

function stringLength(word: 'least' | 'most', limit: number): ExplainedViolation {
  return {
    type: word === 'most' ? 'string_too_long' : 'string_too_short',
    msg: `String should have at ${word} ${limit} character${limit === 1 ? '' : 's'}`,
    ctx: { [word === 'most' ? 'max_length' : 'min_length']: limit },
  };
}

function listLength(
  word: 'least' | 'most',
  limit: number,
  input: JsonValue | undefined,
): ExplainedViolation {
  return wrongSize('List', word, limit, isJsonArray(input) ? input.length : 0);
}

function dictLength(
  word: 'least' | 'most',
  limit: number,
  input: JsonValue | undefined,
): ExplainedViolation {
  return wrongSize('Dictionary', word, limit, isJsonObject(input) ? Object.keys(input).length : 0);
}

function wrongSize(
  field: string,
  word: 'least' | 'most',
  limit: number,
  actual: number,
): ExplainedViolation {
  return {
    type: word === 'most' ? 'too_long' : 'too_short',
    msg: `${field} should have at ${word} ${limit} item${limit === 1 ? '' : 's'} after validation, not ${actual}`,
    ctx: {
      field_type: field,
      [word === 'most' ? 'max_length' : 'min_length']: limit,
      actual_length: actual,
    },
  };
}

function bound(type: string, name: string, words: string, limit: unknown): ExplainedViolation {
  return { type, msg: `Input should be ${words} ${String(limit)}`, ctx: { [name]: limit } };
}
