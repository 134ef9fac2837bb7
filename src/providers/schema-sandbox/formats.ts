// Defines the formats that a schema may use. Each check reads every character a bounded number of times, or is only an
// annotation: zod emits formats of its own and puts their meaning in the `pattern` beside them.
import { isIPv4, isIPv6 } from 'node:net';

/** `true`: an annotation without a check. */
type StringFormat = true | ((text: string) => boolean);

const date = /^(\d{4})-(\d\d)-(\d\d)$/;
const time =
  /^([01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d{1,20})?)?(?:z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/i;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const duration =
  /^P(?:\d{1,20}W|(?:\d{1,20}Y)?(?:\d{1,20}M)?(?:\d{1,20}D)?(?:T(?:\d{1,20}H)?(?:\d{1,20}M)?(?:\d{1,20}(?:[.,]\d{1,20})?S)?)?)$/;

const checked = {
  'date-time': isDateTime,
  date: isDate,
  time: (text) => time.test(text),
  duration: isDuration,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isIPv6WithoutZone,
  cidrv6: isCidrV6,
  // As in zod, spaces around are no part of it.
  uri: (text) => URL.canParse(text.trim()),
  uuid: (text) => uuid.test(text),
} satisfies Readonly<Record<string, StringFormat>>;

const remarks = [
  ...['uri-reference', 'json-pointer', 'idn-email', 'idn-hostname', 'iri', 'iri-reference'],
  ...['int32', 'int64', 'float', 'double', 'byte', 'binary', 'password', 'json-string'],
  ...['guid', 'cuid', 'cuid2', 'ulid', 'nanoid', 'xid', 'ksuid', 'emoji', 'jwt', 'e164', 'mac'],
  ...['base64', 'base64url', 'cidrv4', 'hex'],
  ...['lowercase', 'uppercase', 'includes', 'starts_with', 'ends_with'],
  ...['md5', 'sha1', 'sha256', 'sha384', 'sha512'].flatMap((hash) =>
    ['hex', 'base64', 'base64url'].map((encoding) => `${hash}_${encoding}`),
  ),
];

export const formats: Readonly<Record<string, StringFormat>> = {
  ...checked,
  ...Object.fromEntries(remarks.map((name) => [name, true] as const)),
};

/** Zone and seconds are optional, as in zod; a `pattern` beside the format can require them. */
function isDateTime(text: string): boolean {
  return /^[t ]$/i.test(text.charAt(10)) && isDate(text.slice(0, 10)) && time.test(text.slice(11));
}

function isDate(text: string): boolean {
  const [, year, month, day] = (date.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const longest = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= longest;
}

function isDuration(text: string): boolean {
  return duration.test(text) && /[0-9]/.test(text) && !text.endsWith('T');
}

function isIPv6WithoutZone(text: string): boolean {
  return !text.includes('%') && isIPv6(text);
}

function isCidrV6(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  return (
    more.length === 0 && isIPv6WithoutZone(address) && /^(?:\d|[1-9]\d|1[01]\d|12[0-8])$/.test(bits)
  );
}

/** As zod has it, a label of the domain may end with a hyphen, and be longer than that of a host. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || text.length > 320 || /[\s@]/.test(text.slice(0, at))) return false;
  return text
    .slice(at + 1)
    .split('.')
    .every((label) => /^[a-z0-9][a-z0-9-]*$/i.test(label));
}

function isHostname(text: string): boolean {
  if (text.length > 254) return false;
  return text
    .replace(/\.$/, '')
    .split('.')
    .every((label) => hostLabel.test(label));
}
