// Values stay equal, whatever is shared; what is shared is one object. Equal strings cannot be told apart, so bench/ measures those.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createStringPool, share } from '../../../../src/kube/informer/sharing.ts';

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const json = fc.jsonValue({ maxDepth: 6 });

it('changes no value, whatever is known', () => {
  const pool = createStringPool();
  fc.assert(
    fc.property(json, json, (next, known) => {
      const before = JSON.stringify(known);
      expect(JSON.stringify(share(copyOf(next), known, pool))).toBe(JSON.stringify(next));
      expect(JSON.stringify(known)).toBe(before);
    }),
  );
});

it('returns the known value when all of it is equal', () => {
  const pool = createStringPool();
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), (members) => {
      fc.pre(!JSON.stringify(members).includes('"__proto__"'));
      const known = copyOf(members);
      expect(share(copyOf(known), known, pool)).toBe(known);
    }),
  );
});

const known = { spec: { config: { list: [1, { deep: 'x' }], empty: {} } }, status: { state: 'a' } };

it('shares the equal parts of a value that has changed', () => {
  const next = share({ ...copyOf(known), status: { state: 'b' } }, known, createStringPool());
  expect(next).toEqual({ spec: known.spec, status: { state: 'b' } });
  expect(next.spec).toBe(known.spec);
});

it.each<[string, unknown, unknown]>([
  ['a missing member', { a: 1 }, { a: 1, b: 2 }],
  ['another member', { a: 1 }, { b: 1 }],
  ['a shorter list', [1], [1, 2]],
  ['a list instead of an object', [], {}],
  ['an object instead of a list', {}, []],
  ['null instead of an object', null, {}],
  ['an inherited member', { constructor: {} }, {}],
])('does not take %s for equal', (_difference, next, other) => {
  expect(share(copyOf(next), other, createStringPool())).toEqual(next);
});

it('keeps a member that is called __proto__', () => {
  const text = '{"config":{"__proto__":{}},"other":"a text that is pooled"}';
  const first = share(JSON.parse(text) as object, undefined, createStringPool());
  const second = share(JSON.parse(text) as object, first, createStringPool());
  expect([JSON.stringify(first), JSON.stringify(second)]).toEqual([text, text]);
});

it('leaves what is nested deeper than the stack', () => {
  const depth = 100_000;
  const text = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const value = JSON.parse(text) as unknown;
  expect(share(value, JSON.parse(text), createStringPool())).toBe(value);
});
