import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  idOf,
  keyOf,
  namePattern,
  objectNameOf,
  organizationOf,
  parseResourceAddress,
  providerPattern,
  type ResourceTuple,
  typePattern,
} from '../../../src/domain/identity.ts';

const orders = { provider: 'postgres', resource: 'database', name: 'orders' };

const spellings = {
  'resource:postgres_database_orders': 'the prefixed form',
  'postgres:database:orders': 'the form with colons',
  'postgres/database/orders': 'the form with slashes',
};

it.each(Object.entries(spellings))('parses %s, %s, as the same resource', (text) => {
  expect(parseResourceAddress(text)?.key).toBe(keyOf(orders));
});

it('never splits the prefixed form', () => {
  const address = parseResourceAddress('resource:a_b_c_d');
  expect(address, 'a_b + c + d and a + b_c + d are both possible').toEqual({
    key: 'a_b_c_d',
    text: 'a_b_c_d',
  });
});

const refused = [
  '',
  '.',
  '..',
  'a',
  'a/b',
  'a/b/c/d',
  'a:b:c:d',
  'a:b/c',
  'a/b/',
  'a//c',
  'a/b/.',
  'a/b/..',
  'a/b/-c',
  'A/b/c',
  'a/B/c',
  'a/b/c\u0000',
  'a/b/c\n',
  'a/b/ü',
  'a/b/日本',
  'a/b/\u202Ec',
  'resource:',
  'resource:a',
  'resource:a_b',
  'resource:a_b_',
  'resource:_b_c',
  'resource:a_b_c/../d',
  'resource%3Aa_b_c',
  `a/b/${'c'.repeat(201)}`,
  `${'a'.repeat(41)}/b/c`,
  `a/${'b'.repeat(64)}/c`,
];

it.each(refused)('rejects %j', (text) => {
  expect(parseResourceAddress(text)).toBeUndefined();
});

const tuples: fc.Arbitrary<ResourceTuple> = fc.record({
  provider: fc.stringMatching(providerPattern),
  resource: fc.stringMatching(typePattern),
  name: fc.stringMatching(namePattern),
});

describe('for every legal tuple', () => {
  it('reads its three spellings as one key', () => {
    fc.assert(
      fc.property(tuples, (tuple) => {
        const { provider, resource, name } = tuple;
        const texts = [
          idOf(tuple),
          `${provider}:${resource}:${name}`,
          `${provider}/${resource}/${name}`,
        ];
        for (const text of texts) expect(parseResourceAddress(text)?.key).toBe(keyOf(tuple));
      }),
    );
  });

  it('makes a Kubernetes name that is a DNS label of at most 52 characters', () => {
    fc.assert(
      fc.property(tuples, (tuple) => {
        expect(objectNameOf(keyOf(tuple))).toMatch(/^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])$/);
      }),
    );
  });

  it('gives different names to names that differ in case only', () => {
    expect(objectNameOf('a_b_Foo')).not.toBe(objectNameOf('a_b_foo'));
  });
});

describe('an organization', () => {
  it('becomes a namespace that is a DNS label, whatever its id', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'binary' }), (id) => {
        expect(organizationOf('https://issuer', id).namespace).toMatch(
          /^fl-[a-z0-9][-a-z0-9]{0,19}-[0-9a-f]{12}$/,
        );
      }),
    );
  });

  it('differs for another issuer', () => {
    const [one, two] = ['https://a', 'https://b'].map(
      (issuer) => organizationOf(issuer, 'acme').namespace,
    );
    expect(one).not.toBe(two);
  });
});
