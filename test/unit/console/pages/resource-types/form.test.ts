// The form of a type: fields of a JSON Schema, and the value of what is typed into them.
import { describe, expect, it } from 'vitest';
import {
  type Input,
  inputOf,
  newRow,
  startOf,
} from '../../../../../src/console/pages/resource-types/form/input.ts';
import {
  type Field,
  formField,
} from '../../../../../src/console/pages/resource-types/form/model.ts';
import { inputFor, readingOf } from '../../../../../src/console/pages/resource-types/form/value.ts';
import { placed } from '../../../../../src/console/pages/resource-types/form/violations.ts';
import type { JsonObject, JsonValue } from '../../../../../src/lib/json.ts';

const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
});

const config = (schema: JsonValue, required: readonly string[] = []) =>
  formField(object({ a: schema }, required));

function memberOf(field: Field, name = 'a'): Field {
  const found =
    field.kind === 'group' ? field.members.find((each) => each.name === name) : undefined;
  if (found === undefined) throw new Error(`no ${name} in ${field.kind}`);
  return found.field;
}

/** The tree in short: `{a: text!, b: [number]}`. */
function shape(field: Field): string {
  const mark = `${field.isRequired ? '!' : ''}${field.isNullable ? '?' : ''}${field.isSecret ? '*' : ''}${field.isImmutable ? '=' : ''}`;
  switch (field.kind) {
    case 'group':
      return `{${field.members.map((each) => `${each.name}: ${shape(each.field)}`).join(', ')}}${mark}`;
    case 'list':
      return `[${shape(field.item)}]${mark}`;
    case 'record':
      return `<${shape(field.item)}>${mark}`;
    case 'variants':
      return `(${field.variants.map((each) => `${each.name}: ${shape(each.field)}`).join(' | ')})${mark}`;
    case 'choice':
      return `${JSON.stringify(field.options)}${mark}`;
    case 'fixed':
      return `=${JSON.stringify(field.value)}${mark}`;
    case 'boolean':
    case 'json':
    case 'number':
    case 'text':
      return `${field.kind}${mark}`;
  }
}

const text = { type: 'string' };
const variant = (kind: string, more: JsonObject) =>
  object({ kind: { const: kind }, ...more }, ['kind']);

describe('the fields of a schema', () => {
  it.each<[JsonValue, string]>([
    [text, 'text'],
    [{ type: 'string', format: 'password' }, 'text*'],
    [{ type: 'object', writeOnly: true, properties: { b: text } }, '{b: text*}*'],
    [{ type: 'object', immutable: true, properties: { b: text } }, '{b: text=}='],
    [{ type: ['string', 'null'] }, 'text?'],
    [{ type: ['string', 'number'] }, 'json'],
    [{ anyOf: [text, { type: 'null' }] }, 'text?'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ enum: ['x', 2, null] }, '["x",2]?'],
    [{ anyOf: [{ const: 'x' }, { const: 'y' }] }, '["x","y"]'],
    [{ const: 'x' }, '="x"'],
    [{ enum: [] }, 'json'],
    [{ type: 'array', items: text }, '[text!]'],
    [{ type: 'array', items: object({ b: text }) }, '[{b: text}!]'],
    [{ type: 'array', prefixItems: [text], items: text }, 'json'],
    [{ type: 'array' }, 'json'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '<number!>'],
    [{ type: 'object', additionalProperties: false }, '{}'],
    [{ type: 'object' }, 'json'],
    [{}, 'json'],
    [true, 'json'],
    [false, 'json'],
    ['nonsense', 'json'],
    [
      { oneOf: [variant('s3', { bucket: text }), variant('disk', {})] },
      '(s3: {kind: ="s3"!, bucket: text}! | disk: {kind: ="disk"!}!)',
    ],
    [{ anyOf: [text, { type: 'number' }] }, '(string: text! | number: number!)'],
    [{ anyOf: [object({ b: text }), object({ c: text })] }, 'json'],
    [
      {
        anyOf: [
          { title: 'B', ...object({ b: text }) },
          { title: 'C', ...object({}) },
        ],
      },
      '(B: {b: text}! | C: json!)',
    ],
    [{ ...object({ b: text }), anyOf: [{ required: ['b'] }, {}] }, '{b: text}'],
    [{ allOf: [object({ b: text }, ['b']), object({ c: text })] }, '{b: text!, c: text}'],
    [{ $ref: '#/$defs/none' }, 'json'],
    [{ $ref: 'https://example.com/schema' }, 'json'],
  ])('of %j are %s', (schema, expected) => {
    expect(shape(memberOf(config(schema)))).toBe(expected);
  });

  it('follow references as deep as a schema contains itself twice', () => {
    const schema = {
      $ref: '#/$defs/node',
      $defs: { node: object({ name: text, next: { $ref: '#/$defs/node', description: 'next' } }) },
    };
    expect(shape(formField(schema))).toBe('{name: text, next: {name: text, next: json}}!');
    expect(shape(formField({ $ref: '#' }))).toBe('json!');
  });

  it('are a text of JSON where the schema is too deep or too large', () => {
    let deep: JsonObject = text;
    for (let level = 0; level < 100; level += 1) deep = object({ a: deep });
    expect(shape(formField(deep)).match(/\{/g)).toHaveLength(8);
    const many = (count: number, each: JsonValue = text) =>
      object(Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, each])));
    expect(shape(formField(many(5_000)))).toBe('json!');
    const wide = formField(object({ a: many(20, many(20, many(20))), last: text }));
    expect(shape(wide).length).toBeLessThan(10_000);
    expect(memberOf(memberOf(wide), 'p0').kind).toBe('group');
    // What is simple is no JSON only because something before it is large.
    expect(memberOf(wide, 'last').kind).toBe('text');
    const cross = Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [`d${at}`, { $ref: '#/$defs/all' }]),
    );
    expect(
      shape(formField({ $ref: '#/$defs/all', $defs: { all: object(cross) } })).length,
    ).toBeLessThan(9_000);
    const chain = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]),
    );
    expect(formField({ $ref: '#/$defs/d0', $defs: chain }).kind).toBe('json');
    const rows = {
      type: 'array',
      items: many(400),
      default: Array.from({ length: 600 }, () => ({})),
    };
    expect(startOf(config(rows)).field.kind).toBe('json');
  });
});

const parsed = (json: string) => JSON.parse(json) as JsonObject;

describe('the value of what is typed', () => {
  const typedText = (value: string): Input => ({ kind: 'text', text: value });

  it.each<[JsonValue, JsonValue | undefined]>([
    [{ ...text, default: 'x' }, { a: 'x' }],
    [text, {}],
    [{ type: 'integer', default: 0 }, { a: 0 }],
    [{ type: 'boolean', default: false }, { a: false }],
    [{ enum: ['x', { y: 1 }], default: { y: 1 } }, { a: { y: 1 } }],
    [{ const: 3 }, { a: 3 }],
    [{ type: 'array', items: text, default: ['x', 'y'] }, { a: ['x', 'y'] }],
    [{ type: 'object', additionalProperties: text, default: { x: 'y' } }, { a: { x: 'y' } }],
    [object({ b: { ...text, default: 'x' } }), {}],
    [{ ...object({ b: { ...text, default: 'x' } }), default: {} }, { a: { b: 'x' } }],
    [{ type: 'object', default: { free: [1] } }, { a: { free: [1] } }],
    [{ oneOf: [variant('x', {}), variant('y', {})], default: { kind: 'y' } }, { a: { kind: 'y' } }],
  ])('of the defaults of %j is %j', (schema, expected) => {
    const field = config(schema);
    expect(readingOf(field, inputOf(field), '/config').value).toEqual(expected);
  });

  it.each<[JsonValue, string, JsonValue]>([
    [text, 'x', 'x'],
    [text, '', null],
    [{ type: 'number' }, '1e3', 1_000],
    [{ type: 'number' }, '9007199254740993', null],
    [{ type: 'number' }, 'many', null],
    [{ enum: ['x', 'y'] }, '1', 'y'],
    [{ type: 'boolean' }, 'false', false],
    [{}, '{"b": [1]}', { b: [1] }],
    [{}, '{"b": 1', null],
    [{}, '', null],
  ])('of %j with %j is %j', (schema, typed, expected) => {
    const { value, problems } = readingOf(memberOf(config(schema)), typedText(typed), '/a');
    expect(value ?? null).toEqual(expected);
    expect(problems.length > 0).toBe(expected === null && typed !== '');
  });

  it('is null where a value is required that may be null', () => {
    const schema = { type: ['string', 'null'] };
    const reading = (field: Field) => readingOf(field, inputOf(field), '').value;
    expect(reading(config(schema, ['a']))).toEqual({ a: null });
    expect(reading(config(schema))).toEqual({});
  });

  it('contains rows, and refuses a name that occurs twice', () => {
    const field = memberOf(config({ type: 'object', additionalProperties: text }));
    if (field.kind !== 'record') throw new Error(field.kind);
    const row = (name: string) => ({ ...newRow(field.item), name, input: typedText('x') });
    const rows = (...names: string[]): Input => ({ kind: 'rows', rows: names.map(row) });
    const read = (input: Input) => readingOf(field, input, '/a');
    expect(read(rows('b', '')).value).toEqual({ b: 'x' });
    expect(read(rows('b', 'b')).problems).toEqual([{ path: '/a', kind: 'twice' }]);
    expect(read(rows()).value).toBeUndefined();
  });

  it('has members with the names of prototypes', () => {
    const field = formField(
      parsed(
        '{"properties": {"__proto__": {"default": "x", "type": "string"}, "constructor": {"const": 1}}}',
      ),
    );
    const { value } = readingOf(field, inputOf(field), '');
    expect(JSON.stringify(value)).toBe('{"__proto__":"x","constructor":1}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    const record = config({
      type: 'object',
      additionalProperties: text,
      default: parsed('{"__proto__": "x"}'),
    });
    const members = readingOf(record, inputOf(record), '').value;
    expect(JSON.stringify(members)).toBe('{"a":{"__proto__":"x"}}');
  });

  it.each<[JsonValue, JsonValue, boolean]>([
    [text, { a: 'x' }, true],
    [text, {}, true],
    [{ ...text, default: 'x' }, {}, true],
    [text, { a: 1 }, false],
    [text, { b: 1 }, false],
    [{ type: 'integer' }, { a: `$${'{x/y/z.outputs.port}'}` }, false],
    [{ type: 'array', items: object({ b: text }) }, { a: [{ b: 'x' }, {}] }, true],
    [{ oneOf: [variant('x', {}), variant('y', { b: text })] }, { a: { kind: 'y', b: '1' } }, true],
    [{ oneOf: [variant('x', {}), variant('y', {})] }, { a: { kind: 'z' } }, false],
  ])('of %j that is %j can be shown in fields: %j', (schema, value, expected) => {
    const field = config(schema);
    const input = inputFor(field, value);
    expect(input !== undefined).toBe(expected);
    if (input !== undefined) expect(readingOf(field, input, '').value).toEqual(value);
  });
});

describe('a violation', () => {
  const places = new Set(['/name', '/config', '/config/a', '/config/a/0', '/config/x~1y']);

  it.each<[readonly (string | number)[], string, string]>([
    [['body', 'name'], '/name', 'wrong'],
    [['body', 'config', 'a', 0], '/config/a/0', 'wrong'],
    [['body', 'config', 'a', 0, 'b', 1], '/config/a/0', 'b.1: wrong'],
    [['body', 'config', 'x/y'], '/config/x~1y', 'wrong'],
    [['body', 'config', 'unknown'], '/config', 'unknown: wrong'],
  ])('at %j is shown at %s', (loc, place, message) => {
    const { messages, others } = placed([{ loc, msg: 'wrong' }], places);
    expect([...messages]).toEqual([[place, [message]]]);
    expect(others).toEqual([]);
  });

  it('of no field is listed', () => {
    const { messages, others } = placed([{ loc: ['query', 'dry_run'], msg: 'wrong' }], places);
    expect(messages.size).toBe(0);
    expect(others).toEqual(['dry_run: wrong']);
  });
});
