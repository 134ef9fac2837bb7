import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marksOf, mask, secretsIn } from '../../../../src/domain/secrets/marks.ts';
import { createSecretMask } from '../../../../src/domain/secrets/mask-text.ts';
import { createBudget } from '../../../../src/lib/budget.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';

const secret = { type: 'string', writeOnly: true };
const hidden = '[masked]';

describe('masking', () => {
  it.each<[string, JsonObject, JsonValue, JsonValue]>([
    ['writeOnly', { properties: { a: secret } }, { a: 'x', b: 'y' }, { a: hidden, b: 'y' }],
    ['sensitive', { properties: { a: { sensitive: true } } }, { a: 1 }, { a: hidden }],
    ['passwords', { properties: { a: { format: 'password' } } }, { a: 'x' }, { a: hidden }],
    [
      'nothing for marks that are false',
      { properties: { a: { writeOnly: false } } },
      { a: 1 },
      { a: 1 },
    ],
    ['whole objects', { properties: { a: secret } }, { a: { b: [1] } }, { a: hidden }],
    ['null too', { properties: { a: secret } }, { a: null }, { a: hidden }],
    ['the value itself', { writeOnly: true }, { a: 1 }, hidden],
    [
      'deep inside',
      { properties: { a: { properties: { b: secret } } } },
      { a: { b: 'x', c: 1 } },
      { a: { b: hidden, c: 1 } },
    ],
    ['items', { items: secret }, ['x', 'y'], [hidden, hidden]],
    ['contained items', { contains: secret }, ['x'], [hidden]],
    ['items of a tuple', { prefixItems: [{}, secret], items: {} }, [1, 2, 3], [1, hidden, 3]],
    ['items behind a tuple', { prefixItems: [{}], items: secret }, [1, 2], [1, hidden]],
    [
      'other members',
      { properties: { a: {} }, additionalProperties: secret },
      { a: 1, b: 2 },
      { a: 1, b: hidden },
    ],
    ['unevaluated members', { unevaluatedProperties: secret }, { b: 2 }, { b: hidden }],
    [
      'members that begin alike',
      { patternProperties: { '^s_': secret } },
      { s_a: 1, a: 1 },
      { s_a: hidden, a: 1 },
    ],
    [
      'members that end alike',
      { patternProperties: { _key$: secret } },
      { a_key: 1, keys: 1 },
      { a_key: hidden, keys: 1 },
    ],
    [
      'members of one name',
      { patternProperties: { '^a$': secret } },
      { a: 1, ab: 1 },
      { a: hidden, ab: 1 },
    ],
    [
      'members like another',
      { patternProperties: { ab: secret } },
      { xaby: 1, axb: 1 },
      { xaby: hidden, axb: 1 },
    ],
    [
      'whatever a hard pattern may match',
      { patternProperties: { '^(a|a)*$': secret } },
      { b: 1 },
      { b: hidden },
    ],
    ['marks in allOf', { allOf: [{ properties: { a: secret } }] }, { a: 1 }, { a: hidden }],
    ['marks in anyOf', { anyOf: [{}, { properties: { a: secret } }] }, { a: 1 }, { a: hidden }],
    ['marks in oneOf', { oneOf: [{ properties: { a: secret } }] }, { a: 1 }, { a: hidden }],
    ['marks in if', { if: { properties: { a: secret } } }, { a: 1 }, { a: hidden }],
    // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword
    ['marks in then', { if: {}, then: { properties: { a: secret } } }, { a: 1 }, { a: hidden }],
    ['marks in else', { else: { properties: { a: secret } } }, { a: 1 }, { a: hidden }],
    [
      'dependent schemas',
      { dependentSchemas: { b: { properties: { a: secret } } } },
      { a: 1 },
      { a: hidden },
    ],
    [
      'references',
      { properties: { a: { $ref: '#/$defs/S' } }, $defs: { S: secret } },
      { a: 1 },
      { a: hidden },
    ],
    [
      'old references',
      { properties: { a: { $ref: '#/definitions/S' } }, definitions: { S: secret } },
      { a: 1 },
      { a: hidden },
    ],
    [
      'references with odd names',
      { properties: { a: { $ref: '#/$defs/S~1%20T' } }, $defs: { 'S/ T': secret } },
      { a: 1 },
      { a: hidden },
    ],
    [
      'beside a reference',
      { properties: { a: { $ref: '#/$defs/S', writeOnly: true } }, $defs: { S: {} } },
      { a: 1 },
      { a: hidden },
    ],
    [
      'nothing at dangling references',
      { properties: { a: { $ref: '#/$defs/T' } } },
      { a: 1 },
      { a: 1 },
    ],
    [
      'through schemas that are true',
      { properties: { a: true, b: secret } },
      { a: 1, b: 1 },
      { a: 1, b: hidden },
    ],
    ['inherited names never', { properties: {} }, { constructor: 1 }, { constructor: 1 }],
  ])('covers %s', (_name, schema, value, expected) => {
    expect(mask(marksOf(schema), value)).toEqual(expected);
  });

  it('ends for cyclic references', () => {
    const schema = {
      properties: { kids: { items: { $ref: '#' } }, key: secret },
      allOf: [{ $ref: '#' }],
    };
    const value = { key: 'a', kids: [{ key: 'b', kids: [] }] };
    expect(mask(marksOf(schema), value)).toEqual({
      key: hidden,
      kids: [{ key: hidden, kids: [] }],
    });
  });

  it('keeps only the top-level names without a schema', () => {
    expect(mask(marksOf(undefined), { a: { b: 1 }, c: 'x' })).toEqual({ a: hidden, c: hidden });
    expect(mask(marksOf(undefined), ['x'])).toBe(hidden);
  });

  it('keeps a member named __proto__', () => {
    const value = JSON.parse('{"__proto__": {"a": 1}}') as JsonObject;
    expect(JSON.stringify(mask(marksOf({}), value))).toBe('{"__proto__":{"a":1}}');
  });

  it('masks what is not visited before its budget is spent', () => {
    const schema = { properties: { a: { properties: { b: {} } }, c: secret } };
    const value = { a: { b: 1 }, d: 1 };
    expect(mask(marksOf(schema), value, createBudget(0))).toBe(hidden);
    expect(mask(marksOf({ ...schema }), value, createBudget(6))).toEqual({ a: hidden, d: hidden });
    expect(mask(marksOf({ ...schema }), value, createBudget(20))).toEqual(value);
  });

  it('masks what has too long a path, instead of spelling it for each member', () => {
    const [short, long] = ['n'.repeat(1_000), 'n'.repeat(3_000)];
    const value = { [short]: { a: 1 }, [long]: { a: 1 } };
    expect(mask(marksOf({ properties: { b: secret } }), value)).toEqual({
      [short]: { a: 1 },
      [long]: hidden,
    });
  });

  it('changes nothing with a schema without marks', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(mask(marksOf({ type: 'object' }), value as JsonObject)).toEqual(value);
      }),
    );
  });
});

describe('the secrets in a config', () => {
  const schema = { properties: { a: secret } };

  it.each<[string, JsonObject | undefined, JsonValue, readonly string[]]>([
    ['the marked one', schema, { a: 'hunter22', b: 'shown' }, ['hunter22']],
    ['every text below a mark', schema, { a: { b: ['one', 'two'], c: 3 } }, ['one', 'two']],
    ['numbers of four digits or more', schema, { a: [482913, -1234.5, 999] }, ['1234.5', '482913']],
    ['none', schema, { b: 'shown' }, []],
    ['all when there is no schema', undefined, { a: 'x', b: ['y'] }, ['x', 'y']],
  ])('are %s', (_name, given, value, expected) => {
    expect([...secretsIn(marksOf(given), value)].sort()).toEqual(expected);
  });
});

describe('a text without secrets', () => {
  it.each<[string, readonly string[], string]>([
    ['login with hunter22 failed', ['hunter22'], 'login with [masked] failed'],
    ['hunter22 is not hunter22', ['hunter22'], '[masked] is not [masked]'],
    ['a "b\\"c\\n" d', ['b"c\n'], 'a "[masked]" d'],
    ['at p%40ss%2Fw', ['p@ss/w'], 'at [masked]'],
    ['at p%40ss%2fw', ['p@ss/w'], 'at [masked]'],
    ['at my+pass', ['my pass'], 'at [masked]'],
    ['a two lines b', ['two\n  lines\n'], 'a [masked] b'],
    ['a {"b":"two\\n lines"}', ['two\n  lines'], 'a {"b":"[masked]"}'],
    ['a stays', ['a\n\n\n'], 'a stays'],
    ['abc stays', ['abc'], 'abc stays'],
    ['abcdefgh', ['abcdef', 'efgh'], '[masked]'],
    ['abcdefgh', ['abcd', 'efgh'], '[masked]'],
    ['ended at hunt…', ['hunter22'], 'ended at [masked]…'],
    ['ended at hun…', ['hunter22'], 'ended at hun…'],
    ['ended at hunt', ['hunter22'], 'ended at hunt'],
    ['nothing here', [], 'nothing here'],
    ['the $& stays $1', ['none of it'], 'the $& stays $1'],
  ])('of %j without %j is %j', (text, secrets, expected) => {
    expect(createSecretMask(secrets).text(text)).toBe(expected);
  });

  it('contains none of them, for any secrets', () => {
    const secrets = fc.array(fc.string({ minLength: 4, unit: 'binary' }), { minLength: 1 });
    fc.assert(
      fc.property(secrets, fc.array(fc.string()), (hiding, others) => {
        const text = [...others, ...hiding, ...others].join(' ');
        const shown = createSecretMask(hiding).text(text).split('[masked]');
        for (const each of hiding) {
          for (const part of shown) expect(part.includes(each)).toBe(false);
        }
      }),
    );
  });
});

describe('a mask of one record', () => {
  const many = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) => `${index}`.padStart(length, 's'));

  it.each<[string, readonly string[], string]>([
    ['4,000 secrets are looked for', many(4_000, 8), 'shown'],
    ['more are not, so the text is hidden', many(4_001, 8), '[masked]'],
    ['256 KiB of them are looked for', many(1_024, 256), 'shown'],
    ['more are not, so the text is hidden', many(1_025, 256), '[masked]'],
    ['those that are too short do not count', many(5_000, 1).map((s) => s.slice(-3)), 'shown'],
  ])('%s', (_reason, secrets, want) => {
    expect(createSecretMask(secrets).text('shown')).toBe(want);
  });

  it('masks the texts and numbers in a value', () => {
    const value = { a: ['x hunter22', 148291, 12], b: { hunter22: null } };
    expect(createSecretMask(['hunter22', '4829']).value(value)).toEqual({
      a: ['x [masked]', '[masked]', 12],
      b: { hunter22: null },
    });
  });
});

describe('hostile input', () => {
  const overlapping = Array.from({ length: 700 }, (_, index) => 'a'.repeat(4 + (index % 500)));
  const hostile: Record<string, [string, readonly string[]]> = {
    'secrets that overlap everywhere': ['a'.repeat(4_096), [...new Set(overlapping)]],
    'secrets that nearly end a text that was cut': [
      `b${'a'.repeat(4_000)}…`,
      Array.from({ length: 60 }, (_, index) => `${'a'.repeat(3_900 + index)}b`),
    ],
    'more secrets than can be looked for': [
      `${'0123456789abcdef'.repeat(255)}…`,
      Array.from({ length: 50_000 }, (_, index) => `s${index.toString(16).padStart(5, '0')}`),
    ],
  };

  it.each(Object.entries(hostile))(
    '[I7] is masked beyond the budget: %s',
    (_what, [text, secrets]) => {
      const began = process.cpuUsage();
      const shown = createSecretMask(secrets).text(text);
      const { user } = process.cpuUsage(began);
      expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
      // It took nine seconds, during which no request was served and the lease was lost.
      expect(user / 1_000).toBeLessThan(2_000);
    },
  );

  it('[I7] includes a schema with many marks for many values', () => {
    const anyOf = Array.from({ length: 50 }, (_, minimum) => ({ type: 'integer', minimum }));
    const properties = { a: { type: 'array', items: { anyOf } }, b: secret };
    const schema = { type: 'object', properties };
    const began = process.cpuUsage();
    mask(marksOf(schema), { a: Array.from({ length: 60_000 }, () => 1) });
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
  });
});
