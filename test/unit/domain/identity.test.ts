import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  definitionNameOf,
  idOf,
  keyOf,
  namePattern,
  objectNameOf,
  organizationOf,
  parseResourceAddress,
  projectNameOf,
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

  it('makes a Kubernetes name', () => {
    fc.assert(
      fc.property(tuples, (tuple) => {
        const name = objectNameOf(keyOf(tuple));
        expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
        expect(name.length).toBeLessThanOrEqual(253);
      }),
    );
  });

  it('makes one name of one key', () => {
    const similar = fc.record({
      provider: fc.constantFrom('a', 'a-b', 'a-b-c'),
      resource: fc.constantFrom('b', 'b_c', 'b-c', 'b-', 'c'),
      name: fc.stringMatching(/^[a-cA-C](?:[a-cA-C._-]{0,4}[a-cA-C])?$/),
    });
    const nameOf = (tuple: ResourceTuple) => objectNameOf(keyOf(tuple));
    fc.assert(
      fc.property(similar, similar, (one, other) => {
        expect(nameOf(one) === nameOf(other)).toBe(keyOf(one) === keyOf(other));
      }),
    );
  });
});

const hash = (name: string) => expect.stringMatching(new RegExp(`^${name}-[0-9a-f]{16}$`));

describe('the name of an object', () => {
  const long = 'x'.repeat(200);
  const [provider, type] = ['p'.repeat(40), 't'.repeat(63)];
  const names = {
    postgres_database_orders: ['postgres.database.orders', 'a name in Kubernetes'],
    'postgres_database_orders.eu': ['postgres.database.orders.eu', 'the first two dots separate'],
    [`pg_db_${long}`]: [`pg.db.${long}`, 'longer than a label'],
    [`${provider}_${type}_${'x'.repeat(148)}`]: [`${provider}.${type}.${'x'.repeat(148)}`, '253'],
    [`${provider}_${type}_${'x'.repeat(149)}`]: [hash('p{35}'), '254 characters'],
    postgres_database_Orders: [hash('postgres-database-orders'), 'upper case'],
    postgres_database_orders_eu: [hash('postgres-database-orders-eu'), 'an underscore'],
    'postgres_database_a..b': [hash('postgres-database-a-b'), 'two dots'],
    'postgres_database_a.-b': [hash('postgres-database-a-b'), 'a dash after a dot'],
    'postgres_table-_a': [hash('postgres-table-a'), 'a dash before a dot'],
    'pg_db_x-0123456789abcdef': ['pg.db.x-0123456789abcdef', 'its dots tell it from a hash'],
  };
  it.each(Object.entries(names))('of %s is %o', (key, [name]) => {
    expect(objectNameOf(key)).toEqual(name);
  });

  it('differs for names that differ in case only', () => {
    expect(objectNameOf('a_b_Foo')).not.toBe(objectNameOf('a_b_foo'));
  });

  it('is provider and type for a definition', () => {
    expect(definitionNameOf('postgres', 'database')).toBe('postgres.database');
    expect(definitionNameOf('postgres', 'read_replica')).toEqual(hash('postgres-read-replica'));
  });

  const projects = {
    shop: 'shop',
    'default-0f1e2d3c4b5a': 'default-0f1e2d3c4b5a',
    Shop: hash('shop'),
    web_shop: hash('web-shop'),
    // The name with a hash of another project.
    [projectNameOf('Shop')]: hash(`${projectNameOf('Shop').slice(0, 20)}.*`),
  };
  it.each(Object.entries(projects))('is for project %s %o', (id, name) => {
    expect(projectNameOf(id)).toEqual(name);
    if (id !== name) expect(projectNameOf(id)).not.toBe(id);
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
