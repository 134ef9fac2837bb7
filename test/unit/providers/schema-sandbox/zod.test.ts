// The sandbox accepts the schemas that the SDK generates: every kind of zod schema, with a valid value.
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';
import { createSchemaSandbox } from '../../../../src/providers/schema-sandbox/index.ts';

const sandbox = createSchemaSandbox();
afterAll(() => sandbox.close());

const tree = z.object({
  name: z.string(),
  get kids() {
    return z.array(tree);
  },
});

/** A type, a value that fits it, and one that does not. */
const kinds: readonly [string, z.ZodType, JsonValue, JsonValue?][] = [
  ['email', z.email(), 'a.b@example.com', 'a@'],
  ['url', z.url(), 'https://example.com/a?b=c', 'example'],
  ['uuid', z.uuid(), '0198c5a4-7d3c-7a51-9a8e-2f3b4c5d6e7f', '0198c5a4'],
  ['ipv4', z.ipv4(), '10.0.0.1', '10.0.0.256'],
  ['ipv6', z.ipv6(), '2001:db8::1', '2001:db8:::1'],
  ['cidrv4', z.cidrv4(), '10.0.0.0/8', '10.0.0.0/33'],
  ['cidrv6', z.cidrv6(), '2001:db8::/32', '2001:db8::/129'],
  ['datetime', z.iso.datetime(), '2026-11-21T10:00:00.123Z', '2026-02-30T10:00:00Z'],
  ['datetime with offset', z.iso.datetime({ offset: true }), '2026-11-21T10:00:00+01:00', 'now'],
  ['local datetime', z.iso.datetime({ local: true }), '2026-11-21T10:00:00', '2026-11-21'],
  ['datetime in minutes', z.iso.datetime({ precision: -1 }), '2026-11-21T10:00Z', '2026-11-21'],
  ['date', z.iso.date(), '2024-02-29', '2026-02-29'],
  ['time', z.iso.time(), '10:00:00', '25:00:00'],
  ['duration', z.iso.duration(), 'P1DT2H', 'P'],
  ['hostname', z.hostname(), 'db.example.com', '-db'],
  ['emoji', z.emoji(), '🚀', 'a'],
  ['base64', z.base64(), 'aGk=', 'a'],
  ['base64url', z.base64url(), 'aGk', '+'],
  ['jwt', z.jwt(), 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln'],
  ['nanoid', z.nanoid(), 'V1StGXR8_Z5jdHi6B-myT', 'a'],
  ['cuid2', z.cuid2(), 'tz4a98xxat96iws9zmbrgj3a', 'A'],
  ['ulid', z.ulid(), '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'a'],
  ['guid', z.guid(), '00000000-0000-0000-0000-000000000001', 'a'],
  ['e164', z.e164(), '+4915112345678', '0151'],
  ['mac', z.mac(), '00:1a:2b:3c:4d:5e', '00'],
  ['hex', z.hex(), 'c0ffee', 'x'],
  ['hash', z.hash('sha256'), 'a'.repeat(64), 'a'],
  ['lowercase', z.string().lowercase(), 'abc', 'ABC'],
  ['includes', z.string().includes('a.b'), 'xa.bx', 'axb'],
  ['starts with', z.string().startsWith('db-'), 'db-1', '1'],
  ['ends with', z.string().endsWith('-db'), '1-db', '1'],
  ['one pattern', z.string().regex(/^[a-z][a-z0-9-]*$/), 'a-1', '1'],
  ['two patterns', z.string().regex(/^a/).regex(/b$/), 'ab', 'a'],
  ['template', z.templateLiteral(['v', z.number()]), 'v1', 'x1'],
  ['bounded string', z.string().trim().min(1).max(3), 'abc', 'abcd'],
  ['int', z.int(), 3, 3.5],
  ['int32', z.int32(), 3, 2 ** 31],
  ['float32', z.float32(), 3.5, 'a'],
  ['bounded number', z.number().gt(1).lt(5).multipleOf(0.1), 2.3, 2.35],
  ['boolean', z.boolean(), true, 'true'],
  ['null', z.null(), null, 0],
  ['enum', z.enum(['a', 'b']), 'a', 'c'],
  ['literal', z.literal('a'), 'a', 'b'],
  ['literals', z.literal(['a', 1, null]), null, 2],
  ['nullable', z.string().nullable(), null, 1],
  ['nullable object', z.object({ a: z.string() }).nullable(), { a: 'a' }, { a: 1 }],
  ['default', z.string().default('x'), 'a', 1],
  ['union', z.union([z.string(), z.number()]), 1, true],
  ['exclusive union', z.xor([z.string(), z.number()]), 1, true],
  [
    'discriminated union',
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), size: z.int() }),
      z.object({ kind: z.literal('b'), name: z.string() }),
    ]),
    { kind: 'b', name: 'x' },
    { kind: 'a', name: 'x' },
  ],
  [
    'intersection',
    z.intersection(z.object({ a: z.string() }), z.object({ b: z.string() })),
    { a: '', b: '' },
    { a: '' },
  ],
  ['strict object', z.strictObject({ a: z.string() }), { a: '' }, { a: '', b: 1 }],
  ['loose object', z.looseObject({ a: z.string() }), { a: '', b: 1 }, {}],
  ['catchall', z.object({ a: z.string() }).catchall(z.number()), { a: '', b: 1 }, { a: '', b: '' }],
  ['record', z.record(z.string().regex(/^a/), z.number()), { a1: 1 }, { b1: 1 }],
  ['record of an enum', z.record(z.enum(['a', 'b']), z.string()), { a: '', b: '' }, { a: '' }],
  ['partial record', z.partialRecord(z.enum(['a', 'b']), z.string()), { a: '' }, { c: '' }],
  ['loose record', z.looseRecord(z.string().regex(/^a/), z.string()), { a: '', b: 1 }, { a: 1 }],
  ['array', z.array(z.string()).min(1).max(2), ['a'], []],
  ['tuple', z.tuple([z.string(), z.number()]), ['a', 1], ['a', 1, 2]],
  ['tuple with rest', z.tuple([z.string()], z.number()), ['a', 1, 2], ['a', 'b']],
  ['tuple with an optional end', z.tuple([z.string(), z.number().optional()]), ['a'], []],
  ['recursion', tree, { name: 'a', kids: [{ name: 'b', kids: [] }] }, { name: 'a', kids: [{}] }],
  ['any JSON', z.json(), { a: [1, { b: null }] }],
  ['anything', z.unknown(), [1]],
  ['readonly', z.array(z.string()).readonly(), ['a'], [1]],
  [
    'a described secret',
    z
      .string()
      .describe('d')
      .meta({ title: 't', examples: ['a'], sensitive: true }),
    'a',
    1,
  ],
];

describe('the sandbox accepts the JSON Schema of zod', () => {
  it.each(kinds)('%s', async (_, kind, good, bad) => {
    const schema = jsonSchemaOf(z.object({ value: kind, other: z.string().optional() }));
    expect(await sandbox.checkSchema(schema)).toEqual([]);
    expect(await sandbox.validate(schema, { value: good })).toEqual([]);
    if (bad !== undefined) expect(await sandbox.validate(schema, { value: bad })).not.toEqual([]);
  });

  it('a recursive type at the top', async () => {
    const schema = jsonSchemaOf(tree);
    expect(await sandbox.checkSchema(schema)).toEqual([]);
    expect(await sandbox.validate(schema, { name: 'a', kids: [{ name: 'b' }] })).toMatchObject([
      { loc: ['kids', 0, 'kids'], type: 'missing' },
    ]);
  });

  it('a lookahead of the author is rejected with the pattern', async () => {
    const schema = jsonSchemaOf(z.object({ value: z.string().regex(/^(?!x)a/) }));
    expect(await sandbox.checkSchema(schema)).toMatchObject([
      { loc: ['properties', 'value', 'pattern'], msg: expect.stringContaining('^(?!x)a') },
    ]);
  });
});

function jsonSchemaOf(type: z.ZodType): JsonObject {
  return JSON.parse(JSON.stringify(z.toJSONSchema(type, { io: 'input' })));
}
