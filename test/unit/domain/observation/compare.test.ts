// What differs between a config and an object: declared values only, by value, and never by coercion.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  pointer,
} from '../../../../src/lib/json.ts';
import {
  compareWith,
  differs,
  type Seen,
  same,
  seen,
} from '../../../support/fixtures/observation/comparisons.ts';

describe('by value', () => {
  it.each<[string, JsonValue, JsonValue, boolean]>([
    ['equal texts', 'a', 'a', true],
    ['texts that differ in case', 'a', 'A', false],
    ['a number and its text', 1, '1', false],
    ['a text and its number', '1', 1, false],
    ['one number in two spellings', 1e3, 1000, true],
    ['zero with and without a sign', 0, -0, true],
    ['no and 0', false, 0, false],
    ['yes and its text', true, 'true', false],
    ['null and null', null, null, true],
    ['null and no text', null, '', false],
    ['null and an object', null, {}, false],
    ['a value and null', 1, null, false],
    ['an empty object and an object with members', {}, { a: 1 }, true],
    ['an empty object and an empty list', {}, [], false],
    ['an empty list and an empty object', [], {}, false],
    ['empty lists', [], [], true],
    ['a list and a value', ['a'], 'a', false],
    ['an object and a value', { a: 1 }, 'a', false],
  ])('compares %s', (_name, declared, actual, isSame) => {
    expect(seen({ v: declared }, { v: actual })).toEqual(isSame ? same(1) : differs('/v', 1));
  });

  it('has both values of a change', () => {
    const { changes } = compareWith({ v: { size: [1, 2] } }, { v: { size: [1, 2, 3] } });
    const [declared, actual] = [
      [1, 2],
      [1, 2, 3],
    ];
    expect(changes).toEqual([{ path: '/v/size', declared, actual, isSecret: false }]);
  });

  it('finds changes in the order of the declared values', () => {
    const declared = { z: 1, a: { y: 1, b: 1 } };
    const actual = { a: { b: 2, y: 2 }, z: 2 };
    expect(seen(declared, actual)).toEqual(differs(['/z', '/a/y', '/a/b'], 3));
  });
});

it('compares nothing below too long a path, which would be spelled for each member', () => {
  const config = (value: number) => ({ ['n'.repeat(3_000)]: { a: value }, b: value });
  expect(seen(config(1), config(2))).toEqual(differs('/b', 1, 1));
});

describe('declared values only', () => {
  const schema = { properties: { zone: { default: 'eu' }, size: { default: 1 } } };
  it.each<[string, JsonObject, JsonObject, Seen]>([
    ['what nobody declared', { a: 1 }, { a: 1, b: 2 }, same(1)],
    ['what nobody declared inside', { o: { a: 1 } }, { o: { a: 1, b: 2 } }, same(1)],
    ['what nobody declared in an item', { l: [{ a: 1 }] }, { l: [{ a: 1, b: 2 }] }, same(1)],
    ['the default of a schema', { a: 1 }, { a: 1, zone: 'us', size: 9 }, same(1)],
    ['nothing that is declared', {}, { a: 1 }, same(0)],
    ['a declared value that equals the default', { size: 1 }, { size: 2 }, differs('/size', 1)],
    ['a member named like one of every object', { a: 1 }, { a: 1, toString: 1 }, same(1)],
  ])('compares without %s', (_name, declared, actual, want) => {
    expect(seen(declared, actual, { schema })).toEqual(want);
  });

  it('does not take what every object has for what was observed', () => {
    expect(seen({ constructor: 1, toString: { a: 1 } }, {})).toEqual(same(0, 2));
    const named = JSON.parse('{"__proto__":{"a":1}}') as JsonObject;
    expect(seen(named, {})).toEqual(same(0, 1));
    expect(seen(named, JSON.parse('{"__proto__":{"a":2}}') as JsonObject)).toEqual(
      differs('/__proto__/a', 1),
    );
  });
});

describe('what the provider left out', () => {
  it.each<[string, JsonObject, JsonObject, number]>([
    ['a value', { a: 1 }, {}, 1],
    ['null', { a: null }, {}, 1],
    ['the values in an object', { o: { a: 1, b: { c: 1, d: 2 } } }, {}, 3],
    ['the values in a part of an object', { o: { b: { c: 1, d: 2 } } }, { o: {} }, 2],
    ['an empty object', { o: {} }, {}, 1],
    ['a list as one', { l: [1, 2, { a: 1 }] }, {}, 1],
    ['a member of an item', { l: [{ a: 1, b: 2 }] }, { l: [{ b: 2 }] }, 1],
  ])('counts %s as unknown', (_name, declared, actual, want) => {
    const { changes, unknown } = compareWith(declared, actual);
    expect({ changes, unknown }).toEqual({ changes: [], unknown: want });
  });

  it('is not unknown when it would not be compared', () => {
    const declared = { o: { a: 1, b: 2, c: { d: 3 } }, p: 'x' };
    expect(seen(declared, {}, { secrets: ['/p'], ignore: ['/o/c'] })).toEqual(same(0, 2));
  });
});

describe('lists', () => {
  it.each<[string, readonly JsonValue[], readonly JsonValue[], Seen]>([
    ['by position', [1, 2, 3], [1, 2, 3], same(3)],
    ['in another order', [1, 2, 3], [3, 2, 1], differs(['/l/0', '/l/2'], 3)],
    ['longer than declared', [1], [1, 2], differs('/l', 1)],
    ['shorter than declared', [1, 2], [1], differs('/l', 1)],
    ['that are empty now', [1, 2], [], differs('/l', 1)],
    ['that were empty', [], [1], differs('/l', 1)],
    ['of lists', [[1], [2, 3]], [[1], [2, 4]], differs('/l/1/1', 3)],
    ['of objects', [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 3, b: 1 }], differs('/l/1/a', 2)],
  ])('compares lists %s', (_name, declared, actual, want) => {
    expect(seen({ l: declared }, { l: actual })).toEqual(want);
  });
});

describe('secrets and ignored values', () => {
  const schema = { properties: { set: { uniqueItems: true } } };
  const user = (name: string, password: string) => ({ name, password });
  it.each<[string, JsonObject, JsonObject, readonly string[], Seen]>([
    ['a value', { a: 1, p: 'x' }, { a: 1, p: 'y' }, ['/p'], same(1)],
    ['a part of a value', { o: { a: 1, p: 'x' } }, { o: { a: 1, p: 'y' } }, ['/o/p'], same(1)],
    ['everything below', { o: { a: { b: 1 } } }, { o: { a: { b: 2 } } }, ['/o'], same(0)],
    ['only that name', { ab: 1, a: 1 }, { ab: 2, a: 2 }, ['/a'], differs('/ab', 1)],
    ['an item', { l: [1, 2] }, { l: [1, 3] }, ['/l/1'], same(1)],
    ['what nobody declared', { a: 1 }, { a: 1, p: 'y' }, ['/p'], same(1)],
    ['a name with a slash', { 'a/b': 1, c: 1 }, { 'a/b': 2, c: 1 }, ['/a~1b'], same(1)],
    ['a name with a tilde', { 'a~b': 1, c: 1 }, { 'a~b': 2, c: 1 }, ['/a~0b'], same(1)],
    ['an empty name', { '': { a: 1 }, c: 1 }, { '': { a: 2 }, c: 1 }, ['/'], same(1)],
    ['everything', { a: 1, b: { c: 1 } }, { a: 2, b: { c: 2 } }, [''], same(0)],
    [
      'in a list',
      { l: [user('a', 'x'), user('b', 'y')] },
      { l: [user('a', 'z'), user('c', 'z')] },
      ['/l/0/password', '/l/1/password'],
      differs('/l/1/name', 2),
    ],
    [
      'in a set',
      { set: [user('a', 'x'), user('b', 'y')] },
      { set: [user('b', 'z'), user('a', 'z')] },
      ['/set/0/password', '/set/1/password'],
      same(1),
    ],
  ])('leaves out %s, whether it is secret or ignored', (_name, declared, actual, places, want) => {
    expect(seen(declared, actual, { schema, secrets: places })).toEqual(want);
    expect(seen(declared, actual, { schema, ignore: places })).toEqual(want);
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ['an object that is a text now', { o: { a: { p: 'x' } } }, { o: 'y' }, '/o'],
    ['a text that is an object now', { o: 'y' }, { o: { a: { p: 'x' } } }, '/o'],
    ['a list of another length', { l: [{ p: 'x' }] }, { l: [{ p: 'x' }, {}] }, '/l'],
    ['a set', { set: [user('a', 'x')] }, { set: [user('b', 'y')] }, '/set'],
  ])('says that a change contains a secret: %s', (_name, declared, actual, path) => {
    const secrets = ['/o/a/p', '/l/0/p', '/set/0/password'];
    expect(seen(declared, actual, { schema, secrets })).toEqual(differs(`${path} secret`, 1));
  });

  it('does not take a longer name for what is below', () => {
    expect(seen({ o: 1 }, { o: 2 }, { secrets: ['/other', '/o~1x'] })).toEqual(differs('/o', 1));
  });
});

const json = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
const configs = fc.dictionary(fc.string(), json, { maxKeys: 6 }) as fc.Arbitrary<JsonObject>;
const schemas = fc.constantFrom(undefined, {
  uniqueItems: true,
  additionalProperties: { $ref: '#' },
  items: { $ref: '#' },
});

describe('any config', () => {
  it('does not differ from itself, and all of it is compared', () => {
    fc.assert(
      fc.property(configs, schemas, (config, schema) => {
        const { changes, unknown } = compareWith(config, structuredClone(config), { schema });
        expect({ changes, unknown }).toEqual({ changes: [], unknown: 0 });
      }),
    );
  });

  it('does not differ from itself with more members anywhere', () => {
    const more = (value: JsonValue, added: JsonValue): JsonValue => {
      if (Array.isArray(value)) return value.map((each) => more(each, added));
      if (typeof value !== 'object' || value === null) return value;
      const members = Object.entries(value).map(([name, each]) => [name, more(each, added)]);
      const name = 'x'.repeat(Object.keys(value).join('').length + 1);
      return Object.fromEntries([[name, added], ...members.toReversed()]);
    };
    fc.assert(
      fc.property(configs, json, schemas, (config, added, schema) => {
        const actual = more(config, added) as JsonObject;
        const { changes, unknown } = compareWith(config, actual, { schema });
        expect({ changes, unknown }).toEqual({ changes: [], unknown: 0 });
      }),
    );
  });

  it('has each changed value once, and nothing else', () => {
    fc.assert(
      fc.property(configs, fc.func(fc.boolean()), (config, isToChange) => {
        const paths: string[] = [];
        const visit = (value: JsonValue, path: string): JsonValue => {
          if (isJsonArray(value)) {
            return value.map((each, index) => visit(each, pointer(path, `${index}`)));
          }
          if (isJsonObject(value)) {
            const members = Object.entries(value);
            return Object.fromEntries(
              members.map(([name, each]) => [name, visit(each, pointer(path, name))]),
            );
          }
          if (!isToChange(path)) return value;
          paths.push(path);
          return `other than ${value}`;
        };
        const actual = visit(config, '') as JsonObject;
        expect(compareWith(config, actual).changes.map(({ path }) => path)).toEqual(paths);
      }),
    );
  });
});

it('compares many changes beside many secrets, with a schema of many branches', () => {
  const item = { properties: { p: { sensitive: true }, tags: { uniqueItems: true } } };
  const schema = {
    properties: { l: { items: { anyOf: Array.from({ length: 1_000 }, () => item) } } },
  };
  const config = (q: number) => ({ l: Array.from({ length: 8_000 }, () => ({ p: 'x', q })) });
  const secrets = config(1).l.map((_, at) => `/l/${at}/p`);
  const { changes, compared } = compareWith(config(1), config(2), { schema, secrets });
  expect([changes.length, compared]).toEqual([8_000, 8_000]);
});
