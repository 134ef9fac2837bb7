// Maps zod issues to the violations of a 422 body, with the names and messages of pydantic.
import type { z } from 'zod';
import { InvalidRequest, type Violation } from '../../domain/errors.ts';
import { namesAt, unknownName } from './known-names.ts';

type InputLocation = 'body' | 'path' | 'query' | 'header';
type Issue = z.core.$ZodIssue;
type ParsedViolation = Pick<Violation, 'type' | 'msg' | 'ctx'>;

/** A response reports no more: a body full of errors must not cost more to reject than to read. */
export const maxViolations = 100;

/**
 * Parses a part of a request; later code validates nothing again.
 * @throws InvalidRequest with the first hundred broken rules; `loc` starts with the part
 */
export function parse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  location: InputLocation,
): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new InvalidRequest(
    result.error.issues
      .slice(0, maxViolations)
      .flatMap((issue) => issueViolations(issue, { schema, value, location }))
      .slice(0, maxViolations),
  );
}

function issueViolations(
  issue: Issue,
  { schema, value, location }: { schema: z.ZodType; value: unknown; location: InputLocation },
): readonly Violation[] {
  const loc = [
    location,
    ...issue.path.map((part) => (typeof part === 'number' ? part : `${String(part)}`)),
  ];
  if (issue.code === 'unrecognized_keys') {
    const known = namesAt(schema, issue.path);
    return issue.keys
      .slice(0, maxViolations)
      .map((key) => unknownName([...loc, key], known, issue.input?.[key]));
  }
  if (issue.input === undefined) {
    const input = inputAt(value, issue.path.slice(0, -1));
    return [
      { loc, msg: 'Field required', type: 'missing', ...(input === undefined ? {} : { input }) },
    ];
  }
  return [{ loc, ...explainIssue(issue, location), input: issue.input }];
}

function inputAt(whole: unknown, path: readonly PropertyKey[]): unknown {
  let value = whole;
  for (const part of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[part];
  return value;
}

function explainIssue(issue: Issue, location: InputLocation): ParsedViolation {
  switch (issue.code) {
    case 'invalid_type':
      return explainExpected(
        issue.expected,
        typeof issue.input === 'string' && location !== 'body',
      );
    case 'invalid_value':
      return explainValue(issue.values);
    case 'too_big':
      return explainBound(issue.origin, { max: Number(issue.maximum) }, issue.input);
    case 'too_small':
      return explainBound(issue.origin, { least: Number(issue.minimum) }, issue.input);
    case 'invalid_format':
      return {
        type: 'string_pattern_mismatch',
        msg: issueSentence(issue) ?? `String should match pattern '${barePattern(issue.pattern)}'`,
        ctx: { pattern: barePattern(issue.pattern) },
      };
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return { type: 'value_error', msg: issue.message };
  }
}

/** @returns the message that a schema has for its pattern; undefined for the text of zod, which is vaguer than the pattern */
function issueSentence({ message }: Issue): string | undefined {
  return message.startsWith('Invalid ') ? undefined : message;
}

/** zod reports a pattern as `/…/`. */
function barePattern(pattern = ''): string {
  return pattern.replace(/^\//, '').replace(/\/[a-z]*$/, '');
}

const typeNames: Readonly<Record<string, ParsedViolation>> = {
  string: { type: 'string_type', msg: 'Input should be a valid string' },
  number: { type: 'float_type', msg: 'Input should be a valid number' },
  int: { type: 'int_type', msg: 'Input should be a valid integer' },
  boolean: { type: 'bool_type', msg: 'Input should be a valid boolean' },
  object: { type: 'dict_type', msg: 'Input should be a valid dictionary' },
  record: { type: 'dict_type', msg: 'Input should be a valid dictionary' },
  array: { type: 'list_type', msg: 'Input should be a valid list' },
};

const fromText: Readonly<Record<string, ParsedViolation>> = {
  number: { type: 'int_parsing', msg: 'Input should be a valid integer' },
  int: { type: 'int_parsing', msg: 'Input should be a valid integer' },
  boolean: { type: 'bool_parsing', msg: 'Input should be a valid boolean' },
};

function explainExpected(expected: string, text: boolean): ParsedViolation {
  const known = text ? (fromText[expected] ?? typeNames[expected]) : typeNames[expected];
  return known ?? { type: 'value_error', msg: 'Input is not valid' };
}

function explainValue(values: readonly unknown[]): ParsedViolation {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  const last = quoted.at(-1) ?? '';
  const expected = quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${last}` : last;
  const type = quoted.length > 1 ? 'enum' : 'literal_error';
  return { type, msg: `Input should be ${expected}`, ctx: { expected } };
}

function explainBound(
  origin: string,
  { least, max }: { least?: number; max?: number },
  input: unknown,
): ParsedViolation {
  const bound = max ?? least ?? 0;
  const limit = { bound, tooMuch: max !== undefined, word: max === undefined ? 'least' : 'most' };
  if (origin === 'string') return explainLength(limit);
  if (origin === 'array') return explainItems(limit, Array.isArray(input) ? input.length : 0);
  return explainSize(limit);
}

interface Limit {
  readonly bound: number;
  readonly tooMuch: boolean;
  readonly word: string;
}

function explainLength({ bound, tooMuch, word }: Limit): ParsedViolation {
  return {
    type: tooMuch ? 'string_too_long' : 'string_too_short',
    msg: `String should have at ${word} ${bound} character${bound === 1 ? '' : 's'}`,
    ctx: { [tooMuch ? 'max_length' : 'min_length']: bound },
  };
}

function explainItems({ bound, tooMuch, word }: Limit, actual: number): ParsedViolation {
  const length = tooMuch ? 'max_length' : 'min_length';
  return {
    type: tooMuch ? 'too_long' : 'too_short',
    msg: `List should have at ${word} ${bound} item${bound === 1 ? '' : 's'} after validation, not ${actual}`,
    ctx: { field_type: 'List', [length]: bound, actual_length: actual },
  };
}

function explainSize({ bound, tooMuch }: Limit): ParsedViolation {
  return tooMuch
    ? {
        type: 'less_than_equal',
        msg: `Input should be less than or equal to ${bound}`,
        ctx: { le: bound },
      }
    : {
        type: 'greater_than_equal',
        msg: `Input should be greater than or equal to ${bound}`,
        ctx: { ge: bound },
      };
}
