// The order of the fields of a schema survives an API server that sorts members.
import { expect, it } from 'vitest';
import { fieldOrder, inFieldOrder } from '../../../../src/domain/schemas/field-order.ts';
import { canonicalJson, type JsonObject } from '../../../../src/lib/json.ts';

const text = { type: 'string' };
const schema: JsonObject = {
  type: 'object',
  properties: {
    to: text,
    address: { type: 'object', properties: { street: text, city: text } },
    'a/b': { items: { properties: { '~': text, z: text } } },
    properties: { type: 'object', properties: { a: text, b: text } },
  },
  $defs: { sorted: { properties: { a: text, b: text } } },
};

it('is stored where fields are not sorted, and given back', () => {
  const order = fieldOrder(schema);
  expect(order).toEqual({
    '/properties': ['to', 'address', 'a/b', 'properties'],
    '/properties/address/properties': ['street', 'city'],
    '/properties/a~1b/items/properties': ['~', 'z'],
    // A field of this name: what is recorded is harmless.
    '/properties/properties': ['type', 'properties'],
  });
  const sorted = JSON.parse(canonicalJson(schema)) as JsonObject;
  const found = inFieldOrder(sorted, order);
  expect(found).toEqual(schema);
  expect(Object.keys(found['properties'] as object)).toEqual([
    'to',
    'address',
    'a/b',
    'properties',
  ]);
  expect(JSON.stringify(found)).toContain('"properties":{"street":');
});

it('is nothing for sorted fields, or without a schema', () => {
  const sorted = { properties: { a: text, b: text } };
  expect(fieldOrder(sorted)).toBeUndefined();
  expect(fieldOrder(undefined)).toBeUndefined();
  expect(inFieldOrder(sorted, undefined)).toBe(sorted);
});

it.each([
  ['names that are gone', { '/properties': ['x', 'b'] }, ['b', 'a']],
  ['no list', { '/properties': 'b' }, ['a', 'b']],
  ['another place', { '/items': ['b', 'a'] }, ['a', 'b']],
  ['members of every object', { '/properties': ['__proto__', 'b'] }, ['b', 'a']],
])('is harmless with %s', (_, order, expected) => {
  const found = inFieldOrder({ properties: { a: text, b: text } }, order);
  expect(Object.keys(found['properties'] as object)).toEqual(expected);
});
