import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidRequest } from '../../../../src/domain/errors.ts';
import { parse } from '../../../../src/http/request/parse.ts';
import { readQuery } from '../../../../src/http/request/query.ts';

const Query = z.object({
  provider: z.string().optional(),
  tags: z.array(z.string()).optional(),
  limit: z.int().min(1).max(1_000).optional(),
  all: z.boolean().default(false),
});
const read = (search: string) => readQuery(search, Query);

const accepted: readonly (readonly [string, string, Record<string, unknown>])[] = [
  ['nothing', '', {}],
  ['only separators', '&&', {}],
  ['a single value', 'provider=a', { provider: 'a' }],
  ['an empty value', 'provider=', { provider: '' }],
  ['a name without a value', 'provider', { provider: '' }],
  ['a value with =', 'provider=a=b', { provider: 'a=b' }],
  ['a list of one', 'tags=a', { tags: ['a'] }],
  ['a list in its order', 'tags=b&tags=a&tags=b', { tags: ['b', 'a', 'b'] }],
  ['a comma, which separates nothing', 'tags=a,b', { tags: ['a,b'] }],
  ['a list of forty', `${'tags=a&'.repeat(40)}`, { tags: Array.from({ length: 40 }, () => 'a') }],
  ['percent-encoding, once', 'provider=%2525', { provider: '%25' }],
  ['an encoded name', 'pro%76ider=a', { provider: 'a' }],
  ['encoded separators', 'provider=a%26tags%3Db', { provider: 'a&tags=b' }],
  ['a plus as a space', 'provider=a+b%2Bc', { provider: 'a b+c' }],
  ['UTF-8', 'tags=%E6%97%A5', { tags: ['日'] }],
  ['a number', 'limit=10', { limit: 10 }],
  ['an invalid number, as text', 'limit=1e3', { limit: '1e3' }],
  ['a number too long for a double, as text', `limit=${'9'.repeat(17)}`, { limit: '9'.repeat(17) }],
  ['true and false', 'all=true', { all: true }],
  ['other truths, as text', 'all=1', { all: '1' }],
];

it.each(accepted)('reads %s', (_what, search, expected) => {
  expect(read(search)).toStrictEqual(expected);
});

const refused: readonly (readonly [string, (string | number)[], string])[] = [
  ['provider=a&provider=b', ['query', 'provider'], 'value_error'],
  ['provider=a&provider=a', ['query', 'provider'], 'value_error'],
  ['limit=1&limit=2', ['query', 'limit'], 'value_error'],
  ['tags[]=a', ['query', 'tags[]'], 'extra_forbidden'],
  ['tags[0]=a', ['query', 'tags[0]'], 'extra_forbidden'],
  ['tags%5B%5D=a', ['query', 'tags[]'], 'extra_forbidden'],
  ['provider[$ne]=a', ['query', 'provider[$ne]'], 'extra_forbidden'],
  ['nope=1&provider=a', ['query', 'nope'], 'extra_forbidden'],
  ['x[]=1&provider=a', ['query', 'x[]'], 'extra_forbidden'],
  ['x=%ff&provider=a', ['query', 'x'], 'value_error'],
  ['__proto__=1', ['query', '__proto__'], 'extra_forbidden'],
  ['provider=%', ['query', 'provider'], 'value_error'],
  ['provider=%ff', ['query', 'provider'], 'value_error'],
  ['provider=%ED%A0%80', ['query', 'provider'], 'value_error'],
  ['%ff=a', ['query'], 'value_error'],
];

it.each(refused)('[H12] rejects %s', (search, loc, type) => {
  expect(violationsOf(() => read(search))).toMatchObject([{ loc, type }]);
});

it('reports every unknown parameter, with a suggestion', () => {
  const search = 'provder=a&constructor=2&nope=3&all=true';
  expect(violationsOf(() => read(search))).toStrictEqual([
    {
      loc: ['query', 'provder'],
      msg: 'Extra inputs are not permitted; did you mean provider?',
      type: 'extra_forbidden',
      input: 'a',
    },
    ...['constructor', 'nope'].map((name, index) => ({
      loc: ['query', name],
      msg: 'Extra inputs are not permitted; allowed: provider, tags, limit, all',
      type: 'extra_forbidden',
      input: `${index + 2}`,
    })),
  ]);
  const flood = violationsOf(() => read('x=1&'.repeat(10_000)));
  expect(flood).toHaveLength(100);
});

describe('with its schema', () => {
  const wrong: readonly (readonly [string, string])[] = [
    ['limit=0', 'greater_than_equal'],
    ['limit=-1', 'greater_than_equal'],
    ['limit=1001', 'less_than_equal'],
    ['limit=', 'int_parsing'],
    ['limit=ten', 'int_parsing'],
    ['limit=1.5', 'int_parsing'],
    ['limit=0x10', 'int_parsing'],
    ['limit=99999999999999999999', 'int_parsing'],
    ['all=yes', 'bool_parsing'],
    ['all=', 'bool_parsing'],
  ];

  it.each(wrong)('%s is %s', (search, type) => {
    const violations = violationsOf(() => parse(Query, read(search), 'query'));
    expect(violations).toMatchObject([{ loc: ['query', search.split('=')[0]], type }]);
  });
});

function violationsOf(act: () => unknown): unknown {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof InvalidRequest) return thrown.violations;
    throw thrown;
  }
  return [];
}
