// What the provider's zod accepts and what the API accepts are the same: for the types, formats, checks and flags of zod, with
// values that nearly fit.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import * as z3 from 'zod/v3';
import type { JsonValue } from '../../../src/lib/json.ts';
import { compileSchema } from '../../../src/providers/schema-sandbox/compile.ts';
import { jsonSchemaOf } from '../../../src/sdk/json-schema.ts';
import { zodOnlyPlaces } from '../../../src/sdk/zod-only.ts';

const converted = (schema: z.ZodType) =>
  JSON.parse(JSON.stringify(jsonSchemaOf(schema, { io: 'input', what: 'its config' })));

const inserted = fc.string({
  unit: fc.constantFrom(...'aZ0-_.:/@ +Tz%\n\u00a0é9[]"'),
  maxLength: 2,
});
const edited = (text: string): fc.Arbitrary<string> =>
  fc.tuple(fc.nat(Math.max(text.length - 1, 0)), inserted).chain(([at, more]) => {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    return fc.constantFrom(
      before + after.slice(1),
      before + more + after,
      before + after.charAt(0) + after,
      before + after.charAt(1) + after.charAt(0) + after.slice(2),
      text.toUpperCase(),
      text.toLowerCase(),
    );
  });
const near = (...texts: string[]) => {
  const one = fc.constantFrom(...texts);
  return fc.oneof(one, one.chain(edited), one.chain(edited).chain(edited));
};
const finite = { noNaN: true, noDefaultInfinity: true };
const numbers = (...some: number[]) =>
  fc.oneof(fc.constantFrom(...some), fc.integer(), fc.double(finite));
const text = z.string();

const kinds: Readonly<Record<string, readonly [z.ZodType, fc.Arbitrary<JsonValue>]>> = {
  email: [z.email(), near('a.b@example.com', 'a+b@x-.de', "o'n@a.b.co")],
  'an email as in HTML': [z.email({ pattern: z.regexes.html5Email }), near('a.b@example', 'a@b')],
  'an email with umlauts': [z.email({ pattern: z.regexes.unicodeEmail }), near('ä@ö.de')],
  'an email of RFC 5322': [z.email({ pattern: z.regexes.rfc5322Email }), near('"a b"@[1.2.3.4]')],
  url: [z.url(), near('https://a.de/a?b=c', 'mailto:a@b', 'http://[::1]:80/', ' http://a.b ')],
  uuid: [z.uuid(), near('0198c5a4-7d3c-7a51-9a8e-2f3b4c5d6e7f')],
  'uuid 4': [z.uuidv4(), near('0198c5a4-7d3c-4a51-9a8e-2f3b4c5d6e7f')],
  guid: [z.guid(), near('00000000-0000-0000-0000-000000000001')],
  ipv4: [z.ipv4(), near('10.0.0.1', '01.2.3.4')],
  ipv6: [z.ipv6(), near('2001:db8::1', '::ffff:1.2.3.4', 'fe80::1%eth0', '::')],
  cidrv4: [z.cidrv4(), near('10.0.0.0/8')],
  cidrv6: [z.cidrv6(), near('2001:db8::/32', '::ffff:1.2.3.4/96', '::/128')],
  datetime: [z.iso.datetime(), near('2026-11-21T10:00:00.123Z')],
  'datetime with offset': [z.iso.datetime({ offset: true }), near('2026-11-21T10:00:00+01:00')],
  'local datetime': [
    z.iso.datetime({ local: true }),
    near('2026-11-21T10:00', '2026-11-21T10:00:00Z'),
  ],
  'datetime in minutes': [z.iso.datetime({ precision: -1 }), near('2026-11-21T10:00Z')],
  date: [z.iso.date(), near('2024-02-29')],
  time: [z.iso.time(), near('10:00:00', '10:00')],
  duration: [z.iso.duration(), near('P1DT2H', 'P1W', 'PT1.5S')],
  hostname: [z.hostname(), near('db.example.com', 'localhost.')],
  emoji: [z.emoji(), fc.constantFrom('🚀', '❤️', '👍🏽', 'a')],
  base64: [z.base64(), near('aGk=', 'aGkh')],
  base64url: [z.base64url(), near('aGk', 'aGkh', 'aG')],
  nanoid: [z.nanoid(), near('V1StGXR8_Z5jdHi6B-myT')],
  cuid2: [z.cuid2(), near('tz4a98xxat96iws9zmbrgj3a')],
  ulid: [z.ulid(), near('01ARZ3NDEKTSV4RRFFQ69G5FAV')],
  xid: [z.xid(), near('9m4e2mr0ui3e8a215n4g')],
  ksuid: [z.ksuid(), near('0ujtsYcgvSTl8PAuAdqWYSMnLOv')],
  e164: [z.e164(), near('+4915112345678')],
  mac: [z.mac(), near('00:1a:2b:3c:4d:5e')],
  hex: [z.hex(), near('c0ffee')],
  hash: [z.hash('sha256'), near('a'.repeat(64))],
  lowercase: [text.lowercase(), near('abcÄ')],
  includes: [text.includes('a.b'), near('xa.bx')],
  'includes from a position on': [text.includes('ab', { position: 2 }), near('xxab', 'x\nab')],
  'starts with': [text.startsWith('db-'), near('db-1\n')],
  'ends with': [text.endsWith('-db'), near('1\n-db')],
  length: [text.min(2).max(4), near('abc')],
  'the flag i': [text.regex(/^eu-[a-z]+$|^x$/i), near('EU-West', 'X', 'xx')],
  'the flag s': [text.regex(/^a.b$/s), near('a\nb')],
  'the flag m': [text.regex(/^a$/m), near('b\na')],
  'the flag u': [text.regex(/^\p{L}+$/u), near('äb')],
  'the flag v': [text.regex(/^[\p{L}_]+$/v), near('ä_b')],
  'the flag y': [text.regex(/a|b/y), near('ab', 'ca')],
  'the flag g': [text.regex(/a/g), near('ab', 'b')],
  'all flags': [text.regex(/^a.b$/dgimsuy), near('A\nb\nc')],
  'two patterns of one text': [text.regex(/^a+$/i).regex(/^a+$/), near('aA', 'aa')],
  spaces: [text.regex(/^\S+\s[\s,]\S+$/), near('a  b', 'a\u00a0,b')],
  'a bracket in a class': [text.regex(/^[[:alpha:]]+$/), near('a]', ':]')],
  'keys with flags': [
    z.looseRecord(text.regex(/^a/i), z.int()),
    fc.dictionary(near('abc'), fc.constantFrom(1, 'x')),
  ],
  'names with flags': [
    z.record(text.regex(/^a/i), z.int()),
    fc.dictionary(near('abc'), fc.constant(1)),
  ],
  template: [z.templateLiteral(['v', z.number(), '-', z.enum(['a', 'B'])]), near('v1-a', 'v1.5-B')],
  int: [z.int(), numbers(1.5, 0)],
  int32: [z.int32(), numbers(2 ** 31, 2 ** 31 - 1, -(2 ** 31))],
  uint32: [z.uint32(), numbers(-1, 2 ** 32, 2 ** 32 - 1)],
  float32: [z.float32(), numbers(3.4e38, 3.5e38, 0.1)],
  bounds: [z.number().gt(1).lt(5), fc.integer({ min: 0, max: 60 }).map((n) => n / 10)],
  steps: [z.number().multipleOf(0.1), fc.integer({ min: -1_000, max: 1_000 }).map((n) => n / 10)],
  'whole steps': [z.number().multipleOf(3), fc.integer()],
  enum: [z.enum(['a', 'b']), near('a', 'b')],
  'a list': [z.array(z.int()).min(1).max(2), fc.array(fc.constantFrom(1, 1.5), { maxLength: 3 })],
  'optional members': [
    z.strictObject({ a: z.int().optional(), b: z.string().nullable().default('x') }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(1, null, 'x'), { maxKeys: 3 }),
  ],
};

it.each(Object.entries(kinds))('accepts what zod accepts: %s', (_name, [schema, values]) => {
  const judge = compileSchema(converted(schema));
  const seen = new Map<string, readonly [byZod: boolean, byApi: boolean]>();
  const differs = (value: JsonValue) => {
    const [byZod, byApi] = [schema.safeParse(value).success, judge(value).length === 0];
    seen.set(`${byZod}`, [byZod, byApi]);
    return byZod !== byApi;
  };
  fc.assert(
    fc.property(values, (value) => !differs(value)),
    { seed: 43, numRuns: 150 },
  );
  expect(seen.has('true')).toBe(true);
  expect(zodOnlyPlaces(schema)).toEqual([]);
});

const changing: Readonly<Record<string, readonly [z.ZodType, JsonValue, JsonValue, why: string]>> =
  {
    'a number of text': [z.coerce.number(), '1', 'a', 'coerce'],
    'a text of a number': [z.coerce.string(), 1, 'a', 'coerce'],
    'a boolean of anything': [z.coerce.boolean(), 'no', true, 'coerce'],
    'a value for another': [z.int().catch(1), 'x', 2, 'catch()'],
    'a catch within': [z.array(z.int().catch(1)), ['x'], [2], 'catch()'],
    'spaces before a length': [text.trim().max(3), ' abc ', 'abcd', 'trim()'],
    'spaces before a format': [
      text.trim().pipe(text).and(text.trim().regex(/^a$/)),
      ' a',
      'a',
      'trim()',
    ],
    'capitals before a pattern': [text.toLowerCase().regex(/^a+$/), 'A', 'a', 'toLowerCase()'],
    normalized: [text.normalize('NFC').regex(/^ä$/), 'a\u0308', 'ä', 'overwrite()'],
    'another change': [
      z
        .int()
        .overwrite((n) => Math.abs(n))
        .max(3)
        .min(0),
      -2,
      1,
      'overwrite()',
    ],
    'a change before all': [z.preprocess(Number, z.int()), '1', 2, 'preprocess()'],
  };

it.each(Object.entries(changing))('says where zod changes values: %s', (_name, row) => {
  const [schema, onlyZod, other, why] = row;
  const judge = compileSchema(converted(schema));
  expect([schema.safeParse(onlyZod).success, judge(onlyZod).length > 0]).toEqual([true, true]);
  expect(schema.safeParse(other).success).toBe(judge(other).length === 0);
  const config = z.object({ list: z.array(z.object({ value: schema.optional() })) });
  expect(zodOnlyPlaces(config)).toContainEqual({
    place: expect.stringMatching(/^properties\.list\.items\.properties\.value/),
    why: expect.stringContaining(why),
  });
});

it.each<[string, z.ZodType]>([
  ['spaces that nothing checks', text.trim()],
  ['spaces after the checks', text.min(1).max(3).trim()],
  ['a transformation of what is accepted', text.max(3).transform((value) => value.length)],
  ['a default', z.int().default(1)],
])('says nothing about %s', (_name, schema) => {
  expect(zodOnlyPlaces(z.object({ schema }))).toEqual([]);
});

it('writes flags as modifiers of a group', () => {
  const schema = z.object({ region: text.regex(/^eu-[a-z]+$/i), plain: text.regex(/^[a-z]+$/) });
  expect(converted(schema)).toMatchObject({
    properties: { region: { pattern: '(?i:^eu-[a-z]+$)' }, plain: { pattern: '^[a-z]+$' } },
  });
});

const letters = '^\\p{L}+$';
it.each([
  ['nested classes', /^[[a-z]--[b]]+$/v, 'has the flag v with nested classes or set operations'],
  [
    'a property without the flag u',
    new RegExp(letters),
    'has \\p{…} or \\u{…}, which mean that only',
  ],
])('refuses with the place %s', (_name, pattern, why) => {
  const schema = z.object({ list: z.array(z.object({ region: text.regex(pattern) })) });
  const place = 'properties.list.items.properties.region';
  expect(() => converted(schema)).toThrow(
    `its config cannot be converted to JSON Schema: the regular expression ${pattern} at ${place} ${why}`,
  );
});

const old = (schema: unknown) => schema as z.ZodType;
it.each([
  ['a', z.object({ a: old(z3.string()) })],
  ['list.b', z.object({ list: z.array(z.object({ b: old(z3.string()).optional() })) })],
  ['a', z.object({ a: z.lazy(() => old(z3.string())) })],
  ['1.c', z.tuple([z.int(), z.strictObject({ c: old(z3.string()) })])],
])('names a schema of zod 3 at %s', (place, schema) => {
  expect(() => converted(schema)).toThrow(
    `its config is a zod 3 schema at ${place}; create it with z of fairlead/provider`,
  );
});
