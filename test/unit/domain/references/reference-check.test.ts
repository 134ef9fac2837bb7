// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references look like the placeholders of templates.
// Which references an apply refuses: those that can never work, and no other.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  openOutputsSentence,
  problemSentence,
  referenceProblem,
  undescribedOutput,
  undescribedSentence,
} from '../../../../src/domain/references/reference-check.ts';
import { referencesIn } from '../../../../src/domain/references/references.ts';
import { possibleValues } from '../../../../src/domain/schemas/possible-values.ts';
import { createBudget } from '../../../../src/lib/budget.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';

const output = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'output' }) as JsonObject;
const input = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' }) as JsonObject;

const outputs = output(
  z.object({
    id: z.string(),
    port: z.int(),
    weight: z.number(),
    tls: z.boolean().optional(),
    note: z.string().nullable(),
    level: z.enum(['low', 'high']),
    auth: z.object({ user: z.string() }),
    hosts: z.array(z.object({ name: z.string() })),
    labels: z.record(z.string(), z.string()),
    kind: z.union([z.object({ a: z.int() }), z.object({ b: z.string() })]),
    extra: z.looseObject({}),
    keys: z.object({ 'tls.crt': z.string(), 'tls.key': z.string() }),
  }),
);
const config = input(
  z.strictObject({
    text: z.string().optional(),
    count: z.int().optional(),
    ratio: z.number().optional(),
    flag: z.boolean().optional(),
    maybe: z.boolean().nullable().optional(),
    size: z.union([z.int(), z.string()]).optional(),
    list: z.array(z.int()).optional(),
    box: z.strictObject({ inner: z.boolean() }).optional(),
    any: z.unknown().optional(),
  }),
);

const noOutput = (missing: number, names: readonly string[]) => ({
  ...{ why: 'noOutput', missing, names: new Set(names) },
});
const misfit = (one: string, field: string) => ({ why: 'misfit', output: one, field });

const cases: Record<string, readonly [config: JsonObject, want: object | undefined]> = {
  'an output that exists': [{ text: '${a/b/c.outputs.id}' }, undefined],
  'an output that does not': [
    { text: '${a/b/c.outputs.idd}' },
    noOutput(0, Object.keys(outputs['properties'] as object)),
  ],
  'a member that does not exist': [{ text: '${a/b/c.outputs.auth.usr}' }, noOutput(1, ['user'])],
  'a member of text': [{ text: '${a/b/c.outputs.id.x}' }, noOutput(1, [])],
  'an item of a list': [{ text: '${a/b/c.outputs.hosts.3.name}' }, undefined],
  'a list by name': [{ text: '${a/b/c.outputs.hosts.first}' }, noOutput(1, [])],
  'a member of an item that does not exist': [
    { text: '${a/b/c.outputs.hosts.0.nam}' },
    noOutput(2, ['name']),
  ],
  'any name of a record': [{ text: '${a/b/c.outputs.labels.team}' }, undefined],
  'any name of a loose object': [{ text: '${a/b/c.outputs.extra.x.y}' }, undefined],
  'a member of one form of a union': [{ text: '${a/b/c.outputs.kind.b}' }, undefined],
  'a member of no form of a union': [{ text: '${a/b/c.outputs.kind.c}' }, noOutput(1, ['a', 'b'])],
  'text in text': [{ text: 'x-${a/b/c.outputs.id}' }, undefined],
  'a number in text': [{ text: 'x-${a/b/c.outputs.port}' }, undefined],
  'what may be null in text': [{ text: 'x-${a/b/c.outputs.note}' }, undefined],
  'an object in text': [{ text: 'x-${a/b/c.outputs.auth}' }, { why: 'notText', output: 'object' }],
  'a list in text': [{ text: 'x-${a/b/c.outputs.hosts}' }, { why: 'notText', output: 'array' }],
  'text for a number': [{ count: '${a/b/c.outputs.id}' }, misfit('string', 'integer')],
  'longer text for a number': [
    { count: '1${a/b/c.outputs.port}' },
    { why: 'textMisfit', field: 'integer' },
  ],
  'a whole number for a boolean': [{ flag: '${a/b/c.outputs.port}' }, misfit('integer', 'boolean')],
  'a whole number for text': [{ text: '${a/b/c.outputs.port}' }, misfit('integer', 'string')],
  'a whole number for a number': [{ ratio: '${a/b/c.outputs.port}' }, undefined],
  'a number for a whole number, which it may be': [{ count: '${a/b/c.outputs.weight}' }, undefined],
  'a choice for text': [{ text: '${a/b/c.outputs.level}' }, undefined],
  'a choice for a boolean': [{ flag: '${a/b/c.outputs.level}' }, misfit('string', 'boolean')],
  'what may be null for text': [{ text: '${a/b/c.outputs.note}' }, undefined],
  'what may be null for what may be null': [{ maybe: '${a/b/c.outputs.note}' }, undefined],
  'one form of a union': [{ size: '${a/b/c.outputs.port}' }, undefined],
  'no form of a union': [{ size: '${a/b/c.outputs.tls}' }, misfit('boolean', 'string or integer')],
  'an item of a list of numbers': [
    { list: [1, '${a/b/c.outputs.id}'] },
    misfit('string', 'integer'),
  ],
  'a field within a field': [
    { box: { inner: '${a/b/c.outputs.id}' } },
    misfit('string', 'boolean'),
  ],
  'a field of any type': [{ any: '${a/b/c.outputs.auth}' }, undefined],
  'a field that does not exist': [{ other: '${a/b/c.outputs.id}' }, undefined],
};

interface Schemas {
  readonly outputs: JsonObject;
  readonly config: JsonObject;
  readonly stored?: JsonValue;
}

function comparedWith({ stored, ...schemas }: Schemas) {
  return {
    outputs: possibleValues(schemas.outputs),
    config: possibleValues(schemas.config),
    stored,
  };
}

describe('a reference to', () => {
  it.each(Object.entries(cases))('%s', (_name, [given, want]) => {
    const [reference] = referencesIn(given);
    expect(reference && referenceProblem(reference, comparedWith({ outputs, config }))).toEqual(
      want,
    );
  });

  it.each<readonly [string, string, object]>([
    [
      'an output of which only others are described',
      'tls',
      { outputs: { properties: { id: {} } } },
    ],
    ['a type without a schema', 'tls', { config: {} }],
    ['a stored output of an earlier version', 'former', { stored: true }],
    ['a stored output that fits, unlike what the schema says', 'port', { stored: false }],
  ])('%s is permitted', (_name, name, more) => {
    const [reference] = referencesIn({ flag: `\${a/b/c.outputs.${name}}` });
    const compared = comparedWith({ outputs, config, ...more });
    expect(reference && referenceProblem(reference, compared)).toBeUndefined();
  });

  it.each([
    ['idd', 'text', 'net/network has no output "idd"; did you mean id?'],
    ['auth.x', 'text', 'net/network has no output "auth.x"; it has auth.user'],
    [
      'keys.tls.crt',
      'text',
      'net/network has no output "keys.tls.crt"; did you mean keys["tls.crt"]?',
    ],
    [
      'keys["ca.crt"]',
      'flag',
      'net/network has no output keys["ca.crt"]; it has keys["tls.crt"], keys["tls.key"]',
    ],
    [
      'keys.a',
      'text',
      'net/network has no output "keys.a"; it has keys["tls.crt"], keys["tls.key"]',
    ],
    [
      'port',
      'flag',
      'The output "port" of net/network is integer, and this field takes boolean; refer to an output of that type',
    ],
  ])('says what to do about %s', (path, field, sentence) => {
    const [reference] = referencesIn({ [field]: `\${net/network/main.outputs.${path}}` });
    if (reference === undefined) throw new Error('no reference');
    const problem = referenceProblem(reference, comparedWith({ outputs, config }));
    expect(problem && problemSentence('net/network', reference.path, problem)).toBe(sentence);
  });
});

it('refuses nothing more once the budget of all references of a config is spent', () => {
  const names = Array.from({ length: 9_000 }, (_, at) => [`f${at}`, `\${a/b/c.outputs.o${at}}`]);
  const references = referencesIn(Object.fromEntries(names));
  const budget = createBudget();
  const closed = { properties: { id: {} }, additionalProperties: false };
  const compared = {
    outputs: possibleValues(closed, budget),
    config: possibleValues({}, budget),
    stored: undefined,
  };
  const problems = references.map((each) => referenceProblem(each, compared));
  expect(problems[0]).toEqual(noOutput(0, ['id']));
  expect(problems.at(-1)).toBeUndefined();
  expect(budget.spent).toBeLessThan(75_050);
});

const described = { properties: { id: {}, auth: { properties: { user: {} } } } };
const closed = { ...described, additionalProperties: false };
const inParts = { allOf: [described, { properties: { url: {} } }] };
const inBranches = { anyOf: [described, { properties: { url: {} } }] };
const open: Readonly<Record<string, readonly [JsonObject, string, string | undefined]>> = {
  'a misspelled name': [described, 'idd', 'describes no output "idd"; did you mean id?'],
  'a misspelled member': [
    described,
    'auth.usr',
    'describes no output "auth.usr"; did you mean auth.user?',
  ],
  'a described name': [described, 'auth.user', undefined],
  'what a described member leaves open': [described, 'id.x', undefined],
  'what one of all parts describes': [inParts, 'url', undefined],
  'what no part describes': [inParts, 'urll', 'describes no output "urll"; did you mean url?'],
  'what one of several forms describes': [inBranches, 'url', undefined],
  'a name by a pattern': [{ ...described, patternProperties: { '^x': {} } }, 'y', undefined],
  'a name in a map': [{ ...described, additionalProperties: { type: 'string' } }, 'y', undefined],
  'an item of a list': [{ properties: { hosts: { type: 'array' } } }, 'hosts.0', undefined],
  'a name where none is described': [{ type: 'object' }, 'y', undefined],
};

describe('an output that a schema permits', () => {
  it.each(Object.entries(open))('%s', (_name, [schema, path, want]) => {
    const [reference] = referencesIn({ text: `\${a/b/c.outputs.${path}}` });
    if (reference === undefined) throw new Error('no reference');
    const outputs = possibleValues(schema);
    expect(referenceProblem(reference, comparedWith({ outputs: schema, config }))).toBeUndefined();
    const found = undescribedOutput(reference, { outputs, stored: undefined });
    const said = found && undescribedSentence('a/b', reference.path, found);
    expect(said).toBe(want && `a/b ${want}`);
    expect(undescribedOutput(reference, { outputs, stored: 1 }), 'it exists').toBeUndefined();
  });

  it.each([
    [described, true],
    [{ ...described, additionalProperties: true }, true],
    [inParts, true],
    [closed, false],
    [{ ...described, additionalProperties: { type: 'string' } }, false],
    [{ type: 'object' }, false],
    [{}, false],
  ])('is told when its type is registered: %j', (schema, isTold) => {
    const said = openOutputsSentence('a/b', possibleValues(schema));
    expect(said?.startsWith('The outputs_schema of a/b permits members')).toBe(isTold || undefined);
  });
});
