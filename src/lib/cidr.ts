// Pure. Parses, normalizes and compares IP address ranges.

/** A range: `value` is its first address as a number of `width` bits, of which the first `length` are fixed. */
interface CidrRange {
  readonly width: 32 | 128;
  readonly value: bigint;
  readonly length: number;
}

/** @returns the range without host bits, IPv6 as in RFC 5952. The API server rejects other spellings. */
export function canonicalCidr(text: string): string {
  return format(parseCidr(text));
}

/** @returns the range of this one address; accepts brackets around IPv6, as in URLs */
export function cidrOf(address: string): string {
  const plain = address.replace(/^\[|\]$/g, '');
  return canonicalCidr(`${plain}/${isSix(plain) ? 128 : 32}`);
}

export function isSix(text: string): boolean {
  return text.includes(':');
}

/** @returns the ranges in canonical form, without those contained in others */
export function withoutContained(cidrs: readonly string[]): readonly string[] {
  const all = [...new Set(cidrs.map(canonicalCidr))];
  return all.filter((each) => !all.some((other) => other !== each && contains(other, each)));
}

/** @returns whether every address of `inner` is in `outer` */
export function contains(outer: string, inner: string): boolean {
  const [large, small] = [parseCidr(outer), parseCidr(inner)];
  if (large.width !== small.width || small.length < large.length) return false;
  return networkOf({ ...small, length: large.length }) === large.value;
}

/** The prefixes with which RFCs embed an IPv4 address into an IPv6 address. */
export const embedding = {
  /** RFC 4291, 2.5.5.1 (deprecated). */
  compatible: '::',
  /** RFC 2765. */
  translated: '::ffff:0:',
  /** RFC 6052: NAT64 and DNS64 with the well-known prefix. */
  nat64: '64:ff9b::',
  /** RFC 3056: 6to4. */
  tunnelled: '2002:',
} as const;
export type Embedding = keyof typeof embedding;

/** @returns the IPv6 range that embeds an IPv4 range in this form */
export function embedded(cidr: string, form: Embedding): string {
  const { value, length } = parseCidr(cidr);
  const groups = `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
  if (form === 'tunnelled')
    return canonicalCidr(`${embedding.tunnelled}${groups}::/${16 + length}`);
  return canonicalCidr(`${embedding[form]}${groups}/${96 + length}`);
}

function parseCidr(text: string): CidrRange {
  const [address = '', bits = ''] = text.split('/');
  const length = Number(bits);
  const whole = isSix(address) ? six(address) : four(address);
  if (bits === '' || !(length >= 0 && length <= whole.width)) {
    throw new TypeError(`${text} is not an address range`);
  }
  return { ...whole, length, value: networkOf({ ...whole, length }) };
}

function networkOf({ width, value, length }: CidrRange): bigint {
  const host = BigInt(width - length);
  return (value >> host) << host;
}

function four(address: string) {
  const parts = address.split('.').map(Number);
  const isAddress = parts.length === 4 && parts.every((part) => part >= 0 && part <= 255);
  if (!isAddress) throw new TypeError(`${address} is not an IP address`);
  return { width: 32, value: parts.reduce((all, part) => (all << 8n) | BigInt(part), 0n) } as const;
}

function six(address: string) {
  // URL parses all spellings, including those that end with an IPv4 address.
  const plain = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [before = '', after] = plain.split('::');
  const groups = (part = '') => (part === '' ? [] : part.split(':'));
  const zeros = 8 - groups(before).length - groups(after).length;
  const all = [...groups(before), ...Array<string>(zeros).fill('0'), ...groups(after)];
  return {
    width: 128,
    value: all.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n),
  } as const;
}

function format({ width, value, length }: CidrRange): string {
  const size = width === 32 ? 8n : 16n;
  const count = width === 32 ? 4 : 8;
  const parts = Array.from({ length: count }, (_, index) =>
    Number((value >> (size * BigInt(count - 1 - index))) & ((1n << size) - 1n)),
  );
  if (width === 32) return `${parts.join('.')}/${length}`;
  const groups = parts.map((part) => part.toString(16)).join(':');
  return `${new URL(`http://[${groups}]/`).hostname.slice(1, -1)}/${length}`;
}
