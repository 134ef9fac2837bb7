// Lists addresses that tenants must never reach, with the source of each. The event dispatcher and the NetworkPolicies are
// built from these lists.

/** Cloud metadata and credential services, and addresses that are not a single host. */
export const neverReached: readonly string[] = [
  // Link-local (RFC 3927): metadata of AWS, Google, Azure, OpenStack, Oracle, DigitalOcean, Hetzner, Scaleway (169.254.42.42) and
  // Tencent; credentials of ECS tasks (169.254.170.2) and EKS Pod Identity (169.254.170.23).
  '169.254.0.0/16',
  // Azure WireServer: learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  '168.63.129.16/32',
  // Oracle Cloud Infrastructure Compute Classic: docs.oracle.com, "Retrieving Instance Metadata".
  '192.0.0.192/32',
  // Alibaba Cloud: alibabacloud.com/help/en/ecs/user-guide/view-instance-metadata
  '100.100.100.200/32',
  // "This host on this network" (RFC 1122, 3.2.1.3): connecting to it reaches loopback.
  '0.0.0.0/8',
  // Multicast (RFC 5771) and limited broadcast (RFC 919).
  '224.0.0.0/4',
  '255.255.255.255/32',
  // Link-local (RFC 4291, 2.5.6): metadata of OpenStack (fe80::a9fe:a9fe).
  'fe80::/10',
  // Local services of AWS, "IPv6 on AWS": metadata (::254), DNS (::253), time (::123), credentials of EKS Pod Identity (::23).
  'fd00:ec2::/64',
  // Google: cloud.google.com/compute/docs/metadata/querying-metadata
  'fd20:ce::254/128',
  // Oracle and Scaleway, as named in cloud-init (DataSourceOracle, DataSourceScaleway).
  'fd00:c1::a9fe:a9fe/128',
  'fd00:42::42/128',
  // Unspecified (RFC 4291, 2.5.2): connecting to it reaches loopback.
  '::/128',
  // Multicast (RFC 4291, 2.7).
  'ff00::/8',
  // NAT64 with a network-specific prefix (RFC 8215): only the network can locate the IPv4 address in it.
  '64:ff9b:1::/48',
];

/** This machine (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3). It receives events in development. */
export const loopbackAddresses: readonly string[] = ['127.0.0.0/8', '::1/128'];

/**
 * Private networks of clusters and their neighbors, not reachable over the internet. Events may be sent there, as
 * administrators run providers there; pods of tenants may only reach named addresses there.
 */
export const privateAddresses: readonly string[] = [
  // RFC 1918.
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  // Carrier-grade NAT (RFC 6598); pods of some clouds have addresses of it.
  '100.64.0.0/10',
  // Non-global ranges (IANA's registry, RFC 6890) that Google lets clusters use for pods, nodes and Services:
  // cloud.google.com/vpc/docs/subnets#valid-ranges
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  // Unique local (RFC 4193), and its predecessor site-local (RFC 3879).
  'fc00::/7',
  'fec0::/10',
  // Unspecified, loopback, and IPv4 addresses as IPv6: compatible, mapped (RFC 4291, 2.5.5), translated (RFC 2765).
  '::/64',
  // Tunnels to IPv4 addresses: Teredo (RFC 4380) and 6to4 (RFC 3056).
  '2001::/32',
  '2002::/16',
];
