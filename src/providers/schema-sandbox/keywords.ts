// Lists the keywords of JSON Schema 2020-12 that tenants may use, and their valid values. Any other keyword is rejected, so
// nothing unexpected reaches the compiler.

import type { JsonValue } from '../../lib/json.ts';
import { nearest } from '../../lib/nearest.ts';
import { schemaBounds } from '../../tenant-schema/bounds.ts';
import { type Applicator, applicators } from '../../tenant-schema/structure.ts';
import { formats } from './formats.ts';

type KeywordRule =
  | Applicator
  | { readonly holds: 'patternMap'; readonly judges: 'part' }
  | { readonly holds: 'reference' }
  | { readonly holds: 'pattern' }
  | { readonly holds: 'value'; readonly problem: (value: JsonValue) => string | undefined };

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const dialects = [
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft-07/schema',
];

function value(problem: (value: JsonValue) => string | undefined): KeywordRule {
  return { holds: 'value', problem };
}

function must(message: string, holds: (value: JsonValue) => boolean): KeywordRule {
  return value((candidate) => (holds(candidate) ? undefined : message));
}

const isNumber = (candidate: JsonValue): candidate is number =>
  typeof candidate === 'number' && Number.isFinite(candidate);
const isText = (candidate: JsonValue): candidate is string => typeof candidate === 'string';
const isType = (candidate: JsonValue): boolean => isText(candidate) && types.includes(candidate);

const anything = value(() => undefined);
const text = must('must be a string', isText);
const flag = must('must be true or false', (candidate) => typeof candidate === 'boolean');
const number = must('must be a number', isNumber);
const count = must(
  'must be a whole number from 0',
  (candidate) => Number.isSafeInteger(candidate) && Number(candidate) >= 0,
);
const list = must('must be a list', (candidate) => Array.isArray(candidate));
const names = value(namesProblem);

const rules: Readonly<Record<string, KeywordRule>> = {
  ...applicators,
  type: must(
    `must be one of ${types.join(', ')}, or a list of different ones`,
    (candidate) => isType(candidate) || isListOfTypes(candidate),
  ),
  enum: value(enumProblem),
  const: anything,

  patternProperties: { holds: 'patternMap', judges: 'part' },
  required: names,
  dependentRequired: value(dependentProblem),
  minProperties: count,
  maxProperties: count,

  minContains: count,
  maxContains: count,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,

  minLength: count,
  maxLength: count,
  pattern: { holds: 'pattern' },
  format: must(
    `must be one of ${Object.keys(formats).join(', ')}`,
    (candidate) => isText(candidate) && Object.hasOwn(formats, candidate),
  ),

  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: must('must be a number above 0', (candidate) => isNumber(candidate) && candidate > 0),

  $ref: { holds: 'reference' },

  $schema: must(
    `must be ${dialects.join(' or ')}`,
    (candidate) => isText(candidate) && dialects.includes(candidate.replace(/#$/, '')),
  ),
  $comment: text,
  title: text,
  description: text,
  default: anything,
  examples: list,
  deprecated: flag,
  'x-from': text,
  readOnly: flag,
  writeOnly: flag,
  sensitive: flag,
  immutable: flag,
  contentEncoding: text,
  contentMediaType: text,
};

/** Keywords whose rejection needs a reason. */
const refusals: Readonly<Record<string, string>> = {
  $async: 'asynchronous validation is not supported',
  $id: 'a schema cannot have an id; refer to a definition as #/$defs/<name>',
  $anchor: 'refer to a definition as #/$defs/<name>',
  $dynamicRef: 'use $ref to #/$defs/<name>',
  $dynamicAnchor: 'use $ref to #/$defs/<name>',
  $recursiveRef: 'use $ref to #/$defs/<name>',
  $recursiveAnchor: 'use $ref to #/$defs/<name>',
  dependencies: 'use dependentRequired or dependentSchemas',
  additionalItems: 'use prefixItems and items',
  nullable: 'use a list of types',
};

/** @returns the rule of a keyword, undefined when it is not supported */
export function keywordRule(keyword: string): KeywordRule | undefined {
  return Object.hasOwn(rules, keyword) ? rules[keyword] : undefined;
}

export function keywordRefusal(keyword: string): string {
  const reason = Object.hasOwn(refusals, keyword) ? refusals[keyword] : suggestedKeyword(keyword);
  return `Keyword '${keyword.slice(0, 64)}' is not supported${reason === undefined ? '' : `: ${reason}`}`;
}

function suggestedKeyword(keyword: string): string | undefined {
  const name = nearest(keyword.slice(0, 64), Object.keys(rules));
  return name && `did you mean ${name}?`;
}

function isListOfTypes(candidate: JsonValue): boolean {
  if (!Array.isArray(candidate) || candidate.length === 0) return false;
  return candidate.every(isType) && new Set(candidate).size === candidate.length;
}

function enumProblem(candidate: JsonValue): string | undefined {
  if (!Array.isArray(candidate) || candidate.length === 0) return 'must be a list of values';
  if (candidate.length > schemaBounds.enumValues) {
    return `must have at most ${schemaBounds.enumValues} values`;
  }
  const texts = new Set(candidate.map((item) => JSON.stringify(item)));
  return texts.size === candidate.length ? undefined : 'must not have the same value twice';
}

function namesProblem(candidate: JsonValue): string | undefined {
  if (!Array.isArray(candidate) || !candidate.every(isText)) return 'must be a list of names';
  if (candidate.length > schemaBounds.names) {
    return `must have at most ${schemaBounds.names} names`;
  }
  return new Set(candidate).size === candidate.length
    ? undefined
    : 'must not have the same name twice';
}

function dependentProblem(candidate: JsonValue): string | undefined {
  if (typeof candidate !== 'object' || candidate === null || Array.isArray(candidate)) {
    return 'must be an object of lists of names';
  }
  const lists = Object.values(candidate);
  if (lists.length > schemaBounds.names) return `must have at most ${schemaBounds.names} members`;
  return lists.map(namesProblem).find((problem) => problem !== undefined);
}
