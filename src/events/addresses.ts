// Which addresses events may go to, decided when a connection is made: what a name led to when somebody looked says nothing
// of where it leads now. Private addresses are allowed, as providers are reached inside clusters; metadata services, this
// machine and groups of machines are not.
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

export interface AddressRules {
  /** Whether providers may be on this machine, as in development. */
  readonly loopback: boolean;
  /** Addresses and names that are somebody else's, such as those of the API server. */
  readonly refused?: Refused;
}

export interface Refused {
  readonly addresses: BlockList;
  readonly names: ReadonlySet<string>;
}

/** @param hosts as in URLs: names, and addresses, IPv6 in brackets; those of this machine are left to the rule about loopback */
export function refusedHosts(hosts: readonly string[]): Refused {
  const addresses = new BlockList();
  const names = new Set<string>();
  for (const host of hosts.map(plainHost)) {
    const version = isIP(host);
    if (version === 0) names.add(host);
    else if (!isLoopback(host)) addresses.addAddress(host, familyOf(version));
  }
  return { addresses, names };
}

/** @returns a host as it is compared: without brackets, without the dot at its end, in small letters */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
}

export class ForbiddenAddress extends Error {
  constructor() {
    super('The address is none that events are sent to');
  }
}

const never = new BlockList();
// Metadata services of clouds. Node looks at mapped addresses (::ffff:0:0/96) as the IPv4 addresses that they are; the last
// ones are the same block written as IPv6 in other ways: compatible, mapped twice, translated, tunnelled.
never.addSubnet('169.254.0.0', 16, 'ipv4');
never.addSubnet('fe80::', 10, 'ipv6');
never.addAddress('fd00:ec2::254', 'ipv6');
never.addSubnet('::169.254.0.0', 112, 'ipv6');
never.addSubnet('::ffff:0:169.254.0.0', 112, 'ipv6');
never.addSubnet('64:ff9b::169.254.0.0', 112, 'ipv6');
never.addSubnet('2002:a9fe::', 32, 'ipv6');
// Where in such an address the IPv4 address stands is a matter of the network.
never.addSubnet('64:ff9b:1::', 48, 'ipv6');
// Of clouds that answer on addresses of their own: Alibaba, Oracle, Azure, Google.
never.addAddress('100.100.100.200', 'ipv4');
never.addAddress('192.0.0.192', 'ipv4');
never.addAddress('168.63.129.16', 'ipv4');
never.addAddress('fd20:ce::254', 'ipv6');
// "This host": connecting to it reaches loopback.
never.addSubnet('0.0.0.0', 8, 'ipv4');
never.addAddress('::', 'ipv6');
never.addSubnet('224.0.0.0', 4, 'ipv4');
never.addSubnet('ff00::', 8, 'ipv6');
never.addAddress('255.255.255.255', 'ipv4');

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');
loopback.addSubnet('::127.0.0.0', 104, 'ipv6');
loopback.addSubnet('::ffff:0:127.0.0.0', 104, 'ipv6');
loopback.addSubnet('64:ff9b::127.0.0.0', 104, 'ipv6');
loopback.addSubnet('2002:7f00::', 24, 'ipv6');

function isLoopback(address: string): boolean {
  return loopback.check(address, familyOf(isIP(address)));
}

function familyOf(version: number): 'ipv4' | 'ipv6' {
  return version === 4 ? 'ipv4' : 'ipv6';
}

/** @param address an IPv4 or IPv6 address; anything else is not allowed */
export function mayReceive(address: string, rules: AddressRules): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const family = familyOf(version);
  if (never.check(address, family)) return false;
  if (rules.refused?.addresses.check(address, family) === true) return false;
  return rules.loopback || !isLoopback(address);
}

/** The resolver of connections: a name with one address that is not allowed leads nowhere, whatever its others are. */
export function guardedLookup(rules: AddressRules): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, [], undefined);
      if (!addresses.every(({ address }) => mayReceive(address, rules))) {
        return callback(new ForbiddenAddress(), [], undefined);
      }
      if (options.all === true) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? '', first?.family);
    });
  };
}
