// Which addresses events may go to, decided when a connection is made: what a name led to when somebody looked says nothing
// of where it leads now. Private addresses are allowed, as providers are reached inside clusters; metadata services, this
// machine and groups of machines are not.
import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

export interface AddressRules {
  /** Whether providers may be on this machine, as in development. */
  readonly loopback: boolean;
}

export class ForbiddenAddress extends Error {
  constructor() {
    super('The address is none that events are sent to');
  }
}

const never = new BlockList();
// Metadata services of clouds; the last ones are the same block written as IPv6: compatible, mapped twice, translated.
never.addSubnet('169.254.0.0', 16, 'ipv4');
never.addSubnet('fe80::', 10, 'ipv6');
never.addAddress('fd00:ec2::254', 'ipv6');
never.addSubnet('::169.254.0.0', 112, 'ipv6');
never.addSubnet('::ffff:0:169.254.0.0', 112, 'ipv6');
never.addSubnet('64:ff9b::169.254.0.0', 112, 'ipv6');
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
loopback.addSubnet('64:ff9b::127.0.0.0', 104, 'ipv6');

/** @param address an IPv4 or IPv6 address; anything else is not allowed */
export function mayReceive(address: string, rules: AddressRules): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (never.check(address, family)) return false;
  return rules.loopback || !loopback.check(address, family);
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
