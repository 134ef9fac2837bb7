// Decides at connection time which addresses may receive events, because a name can resolve differently than before. Private
// addresses are allowed, as providers run inside clusters; metadata services, loopback and multicast are not.
import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { loopbackAddresses, neverReached } from '../domain/addresses.ts';
import { type Embedding, embedded, embedding, isSix } from '../lib/cidr.ts';

export interface AddressRules {
  /** True allows providers on this machine, as in development. */
  readonly loopback: boolean;
  /** Addresses and names that belong to others, such as the API server and the cluster's pods. */
  readonly refused?: RefusedAddresses | undefined;
}

/** The resolver of names, as `lookup` of Node. */
export type ResolveAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

interface RefusedAddresses {
  readonly addresses: BlockList;
  readonly names: ReadonlySet<string>;
}

/**
 * @param hosts as in URLs: names and addresses, IPv6 in brackets; the loopback rule covers those of this machine
 * @param cidrs whole ranges, such as that of pods
 */
export function refusedHosts(
  hosts: readonly string[],
  cidrs: readonly string[] = [],
): RefusedAddresses {
  const addresses = blockListOf([...cidrs, ...cidrs.flatMap(rangeSpellings)]);
  const names = new Set<string>();
  for (const host of hosts.map(plainHost)) {
    const version = isIP(host);
    if (version === 0) names.add(host);
    else if (!isLoopbackAddress(host)) addresses.addAddress(host, familyOf(version));
  }
  return { addresses, names };
}

/** @returns a host normalized for comparison: without brackets or trailing dot, in lower case */
export function plainHost(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
}

export class ForbiddenAddress extends Error {
  constructor() {
    super('The address is not allowed');
  }
}

const never = blockListOf([...neverReached, ...neverReached.flatMap(rangeSpellings)]);
const loopback = blockListOf([...loopbackAddresses, ...loopbackAddresses.flatMap(rangeSpellings)]);

/** Node compares mapped addresses (::ffff:0:0/96) as IPv4 addresses; these are the other spellings. */
function rangeSpellings(cidr: string): readonly string[] {
  if (isSix(cidr)) return [];
  return (Object.keys(embedding) as Embedding[]).map((form) => embedded(cidr, form));
}

function blockListOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', length] = cidr.split('/');
    list.addSubnet(address, Number(length), familyOf(isIP(address)));
  }
  return list;
}

function isLoopbackAddress(address: string): boolean {
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
  // Checked first: ::1 is also 0.0.0.1 in the IPv4-compatible form.
  if (isLoopbackAddress(address)) return rules.loopback;
  return !never.check(address, family) && rules.refused?.addresses.check(address, family) !== true;
}

/**
 * The resolver of connections: a name with one forbidden address does not resolve, whatever its other addresses are. A
 * connection goes to the addresses that were checked, as nothing resolves the name again.
 *
 * @param resolve the resolver of this machine by default
 */
export function guardedLookup(rules: AddressRules, resolve: ResolveAll = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
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
