import { describe, expect, it } from 'vitest';
import {
  loopbackAddresses,
  neverReached,
  privateAddresses,
} from '../../../src/domain/addresses.ts';
import {
  canonicalCidr,
  cidrOf,
  contains,
  type Embedding,
  embedded,
  withoutContained,
} from '../../../src/lib/cidr.ts';

describe('a range of addresses', () => {
  it.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['203.0.113.77/24', '203.0.113.0/24'],
    ['255.255.255.255/32', '255.255.255.255/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::7/33', '2001:db8::/33'],
    ['2001:db8:ffff::/33', '2001:db8:8000::/33'],
    ['::1/128', '::1/128'],
    ['::/0', '::/0'],
    ['febf::1/10', 'fe80::/10'],
    ['64:ff9b::169.254.0.1/112', '64:ff9b::a9fe:0/112'],
  ])('%s is written %s', (text, want) => {
    expect(canonicalCidr(text)).toBe(want);
  });

  it.each(['10.0.0.0', '10.0.0/8', '10.0.0.256/8', '10.0.0.0/33', '::/129', ':::/1', '/8', ''])(
    '%j is invalid',
    (text) => {
      expect(() => canonicalCidr(text)).toThrow(TypeError);
    },
  );

  it.each([
    ['10.96.0.1', '10.96.0.1/32'],
    ['[FD00::1]', 'fd00::1/128'],
  ])('of the one address %s is %s', (address, want) => {
    expect(cidrOf(address)).toBe(want);
  });

  it.each([
    ['10.0.0.0/8', '10.1.0.0/16', true],
    ['10.0.0.0/8', '10.0.0.0/8', true],
    ['10.1.0.0/16', '10.0.0.0/8', false],
    ['10.0.0.0/8', '11.0.0.0/16', false],
    ['fc00::/7', 'fd00:ec2::254/128', true],
    ['::/0', '10.0.0.0/8', false],
  ])('%s contains %s: %s', (outer, inner, want) => {
    expect(contains(outer, inner)).toBe(want);
  });

  it('is omitted if another one contains it', () => {
    const all = ['10.1.2.3/16', '10.0.0.0/8', '2001:db8::/32', '10.0.0.0/8', '192.0.2.1/32'];
    expect(withoutContained(all)).toEqual(['10.0.0.0/8', '2001:db8::/32', '192.0.2.1/32']);
  });

  it.each<[Embedding, string]>([
    ['compatible', '::a9fe:0/112'],
    ['translated', '::ffff:0:a9fe:0/112'],
    ['nat64', '64:ff9b::a9fe:0/112'],
    ['tunnelled', '2002:a9fe::/32'],
  ])('169.254.0.0/16 is written in IPv6 (%s) as %s', (form, want) => {
    expect(embedded('169.254.0.0/16', form)).toBe(want);
  });
});

it.each([...neverReached, ...loopbackAddresses, ...privateAddresses])(
  'the list has %s in canonical form: the API server rejects other spellings',
  (cidr) => {
    expect(canonicalCidr(cidr)).toBe(cidr);
  },
);
