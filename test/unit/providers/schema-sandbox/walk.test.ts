import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';
import { walkSchema } from '../../../../src/providers/schema-sandbox/walk.ts';

const text = { type: 'string' };

function nested(depth: number): JsonObject {
  return depth === 0 ? {} : { not: nested(depth - 1) };
}

function members(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, true] as const));
}

/** Each definition refers twice to the next: a few lines, 2^30 checks. */
function doubling(keyword: string): JsonObject {
  const steps = Array.from({ length: 30 }, (_, i) => {
    const next = { $ref: `#/$defs/d${i + 1}` };
    return [`d${i}`, { [keyword]: [next, { ...next }] }] as const;
  });
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(steps), d30: text } };
}

describe('walking a schema accepts', () => {
  const accepted: readonly [string, JsonObject][] = [
    ['the empty schema', {}],
    [
      'an object with required properties',
      { type: 'object', properties: { a: text }, required: ['a'] },
    ],
    [
      'annotations',
      { title: 't', description: 'd', default: { a: 1 }, examples: [1], deprecated: true },
    ],
    [
      'a mark for secrets',
      { properties: { key: { type: 'string', sensitive: true, writeOnly: true } } },
    ],
    [
      'marks of fields that cannot change',
      { properties: { zone: { type: 'string', immutable: true }, size: { immutable: false } } },
    ],
    ['a password', { properties: { key: { type: 'string', format: 'password' } } }],
    ['the current dialect', { $schema: 'https://json-schema.org/draft/2020-12/schema' }],
    ['the dialect of draft 7', { $schema: 'http://json-schema.org/draft-07/schema#' }],
    ['a local reference', { properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: text } }],
    [
      'definitions by their old name',
      { properties: { a: { $ref: '#/definitions/A' } }, definitions: { A: text } },
    ],
    [
      'recursion that goes deeper',
      { properties: { kids: { type: 'array', items: { $ref: '#' } } } },
    ],
    ['conditions', { if: { required: ['a'] }, else: false }],
    ['a property named like a keyword', { properties: { $id: text, pattern: text, $ref: text } }],
    [
      'a value that looks like a bad schema',
      { properties: { a: { const: { $id: 'x', nope: 1 } } } },
    ],
    ['twenty levels', nested(19)],
    ['three hundred properties', { properties: members(300) }],
    [
      'every letter of a long list of values',
      { properties: { a: { enum: Array.from({ length: 500 }, (_, i) => i) } } },
    ],
  ];
  it.each(accepted)('%s', (_, schema) => {
    expect(walkSchema(schema).violations).toEqual([]);
  });

  it('and lists the patterns for the engine', () => {
    const { patterns } = walkSchema({
      properties: { a: { pattern: '^a' } },
      patternProperties: { '^b': { propertyNames: { pattern: 'c' } } },
    });
    expect(patterns.map(({ pattern }) => pattern)).toEqual(['^a', '^b', 'c']);
    expect(patterns.at(2)?.loc).toEqual(['patternProperties', '^b', 'propertyNames', 'pattern']);
  });
});

describe('walking a schema refuses', () => {
  const refused: readonly [string, JsonObject, (string | number)[], string][] = [
    ['[J01] $async at the root', { $async: true }, ['$async'], "'$async'"],
    [
      '[J01] $async below it',
      { properties: { a: { $async: true } } },
      ['properties', 'a', '$async'],
      "'$async'",
    ],
    ['[J08] $id', { $id: 'https://example.com/a' }, ['$id'], "'$id'"],
    [
      'a mark for what cannot change in words',
      { immutable: 'yes' },
      ['immutable'],
      'true or false',
    ],
    ['a mark for secrets in words', { sensitive: 'yes' }, ['sensitive'], 'true or false'],
    ['a mark for what is only written in words', { writeOnly: 1 }, ['writeOnly'], 'true or false'],
    ['[J08] $anchor', { $anchor: 'a' }, ['$anchor'], "'$anchor'"],
    ['[J08] $dynamicRef', { $dynamicRef: '#a' }, ['$dynamicRef'], "'$dynamicRef'"],
    [
      'an unknown keyword',
      { properties: { a: { kind: 1 } } },
      ['properties', 'a', 'kind'],
      "'kind'",
    ],
    [
      'a keyword that is nearly one',
      { properties: { a: { example: 1 } } },
      ['properties', 'a', 'example'],
      'did you mean examples?',
    ],
    ['a keyword of another name for inheritance', { toString: true }, ['toString'], "'toString'"],
    [
      '$data',
      { properties: { a: { minimum: { $data: '1/b' } } } },
      ['properties', 'a', 'minimum'],
      'number',
    ],
    ['[J07] a remote reference', { $ref: 'http://169.254.169.254/' }, ['$ref'], '#/$defs'],
    ['[J07] an address as $id', { $id: 'http://169.254.169.254/' }, ['$id'], "'$id'"],
    ['[J07] a file', { $ref: 'file:///etc/passwd' }, ['$ref'], '#/$defs'],
    [
      'a reference into a property',
      { $ref: '#/properties/a', properties: { a: text } },
      ['$ref'],
      '#/$defs',
    ],
    ['a reference to nothing', { $ref: '#/$defs/A' }, ['$ref'], 'defines'],
    [
      'a reference to what every object has',
      { $ref: '#/$defs/toString', $defs: {} },
      ['$ref'],
      'defines',
    ],
    [
      '[J07] a dialect that is an address',
      { $schema: 'http://127.0.0.1/' },
      ['$schema'],
      'must be https://json-schema.org',
    ],
    ['another type than object at the top', { type: 'array' }, ['type'], "'object'"],
    [
      'an unknown type',
      { properties: { a: { type: 'int' } } },
      ['properties', 'a', 'type'],
      'must be one of',
    ],
    [
      '[J03] an unknown format',
      { properties: { a: { format: 'regex' } } },
      ['properties', 'a', 'format'],
      'must be one of',
    ],
    [
      'a negative length',
      { properties: { a: { minLength: -1 } } },
      ['properties', 'a', 'minLength'],
      'whole number',
    ],
    [
      'an empty list of values',
      { properties: { a: { enum: [] } } },
      ['properties', 'a', 'enum'],
      'list',
    ],
    [
      'the same value twice',
      { properties: { a: { enum: [1, 1] } } },
      ['properties', 'a', 'enum'],
      'twice',
    ],
    [
      'a list of schemas as items',
      { properties: { a: { items: [text] } } },
      ['properties', 'a', 'items'],
      'Schema should be',
    ],
    ['no branches', { anyOf: [] }, ['anyOf'], 'list of schemas'],
    ['a branch that is not a schema', { anyOf: [1] }, ['anyOf', 0], 'Schema should be'],
    [
      '[H07] the prototype as a property',
      JSON.parse('{"properties":{"__proto__":{}}}'),
      ['properties', '__proto__'],
      'not allowed',
    ],
    [
      '[H07] the constructor as a property',
      { properties: { constructor: {} } },
      ['properties', 'constructor'],
      'not allowed',
    ],
    ['[J06] more than twenty levels', nested(20), Array.from({ length: 20 }, () => 'not'), 'deep'],
    ['[J06] three thousand levels', nested(3_000), Array.from({ length: 20 }, () => 'not'), 'deep'],
    ['[J06] too many properties', { properties: members(301) }, ['properties'], '300'],
    ['[J06] too many branches', { oneOf: Array.from({ length: 51 }, () => ({})) }, ['oneOf'], '50'],
    ['[J06] too many values', { enum: Array.from({ length: 501 }, (_, i) => i) }, ['enum'], '500'],
    [
      '[J06] too many schemas',
      {
        $defs: Object.fromEntries(
          Array.from({ length: 10 }, (_, i) => [`d${i}`, { properties: members(250) }] as const),
        ),
      },
      [],
      '2000',
    ],
    ['[J06] a schema that is too big', { description: 'x'.repeat(64 * 1024) }, [], '65536'],
    [
      '[J03] a pattern that is too long',
      { properties: { a: { pattern: 'a'.repeat(1_025) } } },
      ['properties', 'a', 'pattern'],
      '1024',
    ],
    [
      'a definition that is itself',
      { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } },
      ['$ref', '$ref'],
      'refers back to itself',
    ],
    [
      'a root that is itself',
      { allOf: [{ $ref: '#' }] },
      ['allOf', 0, '$ref'],
      'refers back to itself',
    ],
    ['[J04] definitions that double', doubling('allOf'), [], '10000'],
    ['[J04] definitions that double by choice', doubling('anyOf'), [], '10000'],
  ];
  it.each(refused)('%s', (_, schema, loc, words) => {
    const { violations } = walkSchema(schema);
    expect(violations).toHaveLength(1);
    expect(violations[0]?.loc).toEqual(loc);
    expect(violations[0]?.msg).toContain(words);
  });

  it('[J15] at most twenty violations at once', () => {
    const bad: Record<string, JsonValue> = {};
    for (let i = 0; i < 100; i += 1) bad[`k${i}`] = true;
    expect(walkSchema(bad).violations).toHaveLength(20);
  });
});
