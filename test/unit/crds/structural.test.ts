import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freeForm } from '../../../src/crds/define.ts';
import { structural } from '../../../src/crds/structural.ts';

const text = z.string().max(10).describe('Text.');

describe('the result of a schema', () => {
  const cases = {
    'a field with a default is optional, and the server fills it in': {
      schema: z.object({ mode: z.enum(['a', 'b']).default('a').describe('Mode.') }),
      want: {
        type: 'object',
        properties: {
          mode: { type: 'string', enum: ['a', 'b'], default: 'a', description: 'Mode.' },
        },
      },
    },
    'an optional field is not required': {
      schema: z.object({ one: text, two: text.optional() }),
      want: {
        type: 'object',
        properties: {
          one: { type: 'string', maxLength: 10, description: 'Text.' },
          two: { type: 'string', maxLength: 10, description: 'Text.' },
        },
        required: ['one'],
      },
    },
    'a nullable enum includes null, which the server checks too': {
      schema: z.object({ mode: z.enum(['a', 'b']).nullable().describe('Mode.') }),
      want: {
        type: 'object',
        properties: {
          mode: { type: 'string', nullable: true, enum: ['a', 'b', null], description: 'Mode.' },
        },
        required: ['mode'],
      },
    },
    'a free-form object keeps unknown members': {
      schema: z.object({ config: freeForm('Config.') }),
      want: {
        type: 'object',
        properties: {
          config: {
            type: 'object',
            description: 'Config.',
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
        required: ['config'],
      },
    },
    'a strict object does not forbid members beside the declared ones': {
      schema: z.strictObject({ one: text }),
      want: {
        type: 'object',
        properties: { one: { type: 'string', maxLength: 10, description: 'Text.' } },
        required: ['one'],
      },
    },
    'a bounded map keeps the schema of its values': {
      schema: z.record(z.string(), z.string().max(3)).meta({ maxProperties: 5 }),
      want: {
        type: 'object',
        maxProperties: 5,
        additionalProperties: { type: 'string', maxLength: 3 },
      },
    },
  };

  it.each(Object.entries(cases))('%s', (_name, { schema, want }) => {
    expect(structural(schema)).toEqual(want);
  });
});

describe('rejected at generation', () => {
  const cases: Record<string, { reason: string; schema: z.ZodType; message: RegExp }> = {
    'a choice between types': {
      reason: 'A structural schema has one type per field.',
      schema: z.object({ a: z.union([text, z.boolean()]).describe('A.') }),
      message: /^\$\.a: anyOf cannot be expressed .*split it/,
    },
    'several patterns on one text': {
      reason: 'They become allOf, in which the API server forbids types.',
      schema: z.object({ a: z.string().max(3).regex(/a/).regex(/b/).describe('A.') }),
      message: /^\$\.a: allOf .*one pattern/,
    },
    'look-ahead in a pattern': {
      reason: 'RE2 does not support it, and the API server would reject the whole definition.',
      schema: z.object({
        a: z
          .string()
          .max(3)
          .regex(/^(?!x)/)
          .describe('A.'),
      }),
      message: /^\$\.a: the pattern uses look-around/,
    },
    'a back reference in a pattern': {
      reason: 'RE2 does not support it.',
      schema: z.string().max(3).regex(/(a)\1/),
      message: /^\$: the pattern uses/,
    },
    'any value': {
      reason: 'The API server rejects fields without a type.',
      schema: z.object({ a: z.unknown().describe('A.') }),
      message: /^\$\.a: needs a type/,
    },
    'an object that takes declared and other members': {
      reason: '`properties` and `additionalProperties` exclude each other.',
      schema: z.looseObject({ a: text }),
      message: /^\$: an object cannot have both declared and undeclared members/,
    },
    'a map with fixed keys': {
      reason: 'zod lists them as required, but nothing declares them.',
      schema: z.record(z.enum(['a', 'b']), text).meta({ maxProperties: 2 }),
      message: /^\$: requires a/,
    },
    'a text without a bound': {
      reason: 'The cost of CEL rules is estimated from bounds.',
      schema: z.object({ list: z.array(z.string()).max(3).describe('List.') }),
      message: /^\$\.list\[\]: needs a maximum length/,
    },
    'a list without a bound': {
      reason: 'The cost of CEL rules is estimated from bounds.',
      schema: z.array(text),
      message: /^\$: needs a maximum of items/,
    },
    'a map without a bound': {
      reason: 'The cost of CEL rules is estimated from bounds.',
      schema: z.record(z.string(), text),
      message: /^\$: needs .*maxProperties/,
    },
    'a member without a description': {
      reason: 'kubectl explain would show an empty line.',
      schema: z.object({ a: z.object({ b: z.boolean() }).describe('A.') }),
      message: /^\$\.a\.b: needs a description/,
    },
    'a format the server does not check': {
      reason: 'The format would suggest a check that does not exist.',
      schema: z.object({ a: z.email().max(9).describe('A.') }),
      message: /^\$\.a: .*does not check the format email/,
    },
    'an unknown extension': {
      reason: 'A misspelt x-kubernetes key would be dropped silently.',
      schema: z.array(text).max(3).meta({ 'x-kubernetes-list-typ': 'set' }),
      message: /^\$: x-kubernetes-list-typ cannot be expressed/,
    },
    'a set of objects': {
      reason: 'Members of a set must be plain values.',
      schema: z
        .array(z.object({ a: text }))
        .max(3)
        .meta({ 'x-kubernetes-list-type': 'set' }),
      message: /^\$: only a list of plain values/,
    },
    'a keyed list whose key may be absent': {
      reason: 'Server-side apply could not distinguish its items.',
      schema: z
        .array(z.object({ a: text.optional() }))
        .max(3)
        .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
      message: /^\$: the list key a must be a required member/,
    },
  };

  it.each(Object.entries(cases))('%s', (_name, { reason, schema, message }) => {
    expect(() => structural(schema), reason).toThrow(message);
  });
});
