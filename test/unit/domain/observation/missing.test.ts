// The fields that an imported config lacks: those that are required, and secrets.
import { expect, it } from 'vitest';
import { missingFields } from '../../../../src/domain/observation/missing.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const schema = {
  required: ['name', 'size'],
  properties: {
    name: { type: 'string' },
    size: { type: 'integer' },
    password: { type: 'string', writeOnly: true },
    note: { type: 'string' },
    network: { $ref: '#/$defs/network' },
  },
  $defs: {
    network: {
      required: ['zone', 'key'],
      properties: { zone: { type: 'string' }, key: { sensitive: true } },
    },
  },
} satisfies JsonObject;
const recursive = {
  required: ['next'],
  properties: { next: { $ref: '#' }, token: { format: 'password' } },
} satisfies JsonObject;
const either = {
  allOf: [{ required: ['a'] }, { properties: { b: { writeOnly: true } } }],
} satisfies JsonObject;

const cases: Record<string, [JsonObject | null, JsonObject, (readonly [string, string])[]]> = {
  'nothing without a schema': [null, {}, []],
  'what is required or secret, and nothing below it': [
    schema,
    {},
    [
      ['/name', 'required'],
      ['/size', 'required'],
      ['/password', 'secret'],
    ],
  ],
  'what lacks below what was read': [
    schema,
    { name: 'a', size: 1, network: { zone: 'b' } },
    [
      ['/password', 'secret'],
      ['/network/key', 'required secret'],
    ],
  ],
  'nothing that was read, whatever its value': [
    schema,
    { name: null, size: 0, password: '', network: { zone: 1, key: false } },
    [],
  ],
  'what branches say': [
    either,
    {},
    [
      ['/b', 'secret'],
      ['/a', 'required'],
    ],
  ],
  'a schema that refers to itself, as far as the value goes': [
    recursive,
    { next: { next: {} }, token: 'x' },
    [
      ['/next/token', 'secret'],
      ['/next/next/next', 'required'],
      ['/next/next/token', 'secret'],
    ],
  ],
  'names with a slash, as pointers': [{ required: ['a/b'] }, {}, [['/a~1b', 'required']]],
};

function listed(schema: JsonObject | null, config: JsonObject) {
  return [...missingFields(schema, config)].filter((field) => field !== undefined);
}

it.each(Object.entries(cases))('lists %s', (_name, [given, config, want]) => {
  const found = listed(given, config).map(({ path, required, secret }) => [
    path,
    [required && 'required', secret && 'secret'].filter(Boolean).join(' '),
  ]);
  expect(found.toSorted()).toEqual(want.toSorted());
});

it('is bounded, however deep the value is', () => {
  let config: JsonObject = {};
  for (let depth = 0; depth < 1_000; depth += 1) config = { next: config, token: 'x' };
  expect(listed(recursive, config).length).toBeLessThanOrEqual(200);
});

it('pauses after each object and each of its names, so that others have their turn', () => {
  const steps = [...missingFields({}, {})];
  expect(steps).toEqual([undefined]);
  const nested = { properties: { a: { properties: { b: { required: ['c'] } } } } };
  const found = { path: '/a/b/c', required: true, secret: false };
  const all = [...missingFields(nested, { a: { b: {} } })];
  const [name, object, value] = [undefined, undefined, undefined];
  expect(all).toEqual([name, value, object, name, value, object, name, found, object]);
});
