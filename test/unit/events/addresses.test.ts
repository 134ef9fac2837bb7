// The rule for addresses, and that it is asked for every name a connection is made to.
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  ForbiddenAddress,
  guardedLookup,
  mayReceive,
  refusedHosts,
} from '../../../src/events/addresses.ts';

const outside = [
  '93.184.216.34',
  '10.1.2.3',
  '192.168.0.1',
  '2606:4700::1',
  'fd00::1',
  '169.253.0.1',
];
const here = [
  '127.0.0.1',
  '127.255.0.1',
  '::1',
  '::ffff:127.0.0.1',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '2002:7f00:1::',
];
const nowhere = [
  '169.254.169.254',
  '169.254.0.1',
  '::ffff:169.254.169.254',
  '::a9fe:a9fe',
  '64:ff9b::169.254.169.254',
  'fe80::1',
  'febf::1',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:42::42',
  'fd00:c1::a9fe:a9fe',
  '64:ff9b::168.63.129.16',
  '2002:a9fe:a9fe::1',
  '64:ff9b:1::a9fe:a9fe',
  '::ffff:0:169.254.169.254',
  '100.100.100.200',
  '::ffff:100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  '0.0.0.0',
  '0.1.2.3',
  '::',
  '::ffff:0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  'ff02::1',
  '',
  'example.com',
];

it.each(outside)('[Q16] %s may receive events', (address) => {
  expect(mayReceive(address, { loopback: false })).toBe(true);
});

it.each(here)('[Q16] %s may in development only', (address) => {
  expect(mayReceive(address, { loopback: true })).toBe(true);
  expect(mayReceive(address, { loopback: false })).toBe(false);
});

it.each(nowhere)('[Q16] %j may never', (address) => {
  expect(mayReceive(address, { loopback: true })).toBe(false);
});

describe('hosts of other systems', () => {
  const refused = refusedHosts(['10.96.0.1', '[FD00::1]', 'API.example.com.', '127.0.0.1']);

  it.each(['10.96.0.1', '::ffff:10.96.0.1', 'fd00::1', 'fd00:0::0:1'])(
    '[Q16] %s may not receive events, in any spelling',
    (address) => {
      expect(mayReceive(address, { loopback: true, refused })).toBe(false);
    },
  );

  it('are matched exactly, without the local machine', () => {
    for (const address of ['10.96.0.2', 'fd00::2', '127.0.0.1']) {
      expect(mayReceive(address, { loopback: true, refused })).toBe(true);
    }
    expect([...refused.names]).toEqual(['api.example.com']);
  });

  it('[Q16] may be CIDR blocks, in any spelling of their addresses', () => {
    const cluster = refusedHosts([], ['10.96.0.0/12', '2001:db8::/32']);
    for (const address of ['10.96.3.4', '::ffff:10.96.3.4', '64:ff9b::10.96.3.4', '2001:db8::7']) {
      expect(mayReceive(address, { loopback: true, refused: cluster }), address).toBe(false);
    }
    expect(mayReceive('10.1.2.3', { loopback: true, refused: cluster })).toBe(true);
  });

  it('[Q16] are rejected when a name resolves to them', async () => {
    const find = (hosts: readonly string[]) =>
      promisify(guardedLookup({ loopback: true, refused: refusedHosts(hosts) }))('10.1.2.3', {
        all: true,
      });
    await expect(find(['10.1.2.3'])).rejects.toBeInstanceOf(ForbiddenAddress);
    expect(await find(['10.1.2.4'])).toHaveLength(1);
  });
});

describe('resolving a name', () => {
  const find = (loopback: boolean, all: boolean) =>
    promisify(guardedLookup({ loopback }))('localhost', { all });

  it('[Q16] rejects one that resolves to a forbidden address', async () => {
    await expect(find(false, true)).rejects.toBeInstanceOf(ForbiddenAddress);
    await expect(find(false, false)).rejects.toBeInstanceOf(ForbiddenAddress);
  });

  it('[Q16] is checked for each connection: a name may resolve to a forbidden address later', async () => {
    const answers = [
      ['93.184.216.34'],
      ['169.254.169.254'],
      ['93.184.216.34', '127.0.0.1'],
      ['::ffff:10.96.0.1'],
      ['2606:4700::1'],
    ];
    const resolve: Parameters<typeof guardedLookup>[1] = (_host, _options, callback) => {
      const addresses = answers.shift() ?? [];
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      );
    };
    const rules = { loopback: false, refused: refusedHosts([], ['10.96.0.0/12']) };
    const connection = () =>
      promisify(guardedLookup(rules, resolve))('provider.example.com', { all: false });

    expect(await connection()).toBe('93.184.216.34');
    for (const reason of ['metadata service', 'one of two', 'cluster range, mapped']) {
      await expect(connection(), reason).rejects.toBeInstanceOf(ForbiddenAddress);
    }
    expect(await connection()).toBe('2606:4700::1');
    expect(answers).toEqual([]);
  });

  it('returns its addresses in the requested form', async () => {
    expect(await find(true, false)).toMatch(/^127\.|^::1$/);
    const all: unknown = await find(true, true);
    expect((all as LookupAddress[]).length).toBeGreaterThan(0);
  });
});
