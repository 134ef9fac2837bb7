// Pure. The size of a custom resource in etcd. The API server stores custom resources as JSON of Go's encoder, which also
// escapes the characters of HTML. ConfigMaps and Secrets are stored as protobuf, where text takes its bytes of UTF-8.
import { isJsonObject, type JsonValue } from '../lib/json.ts';

/** Largest request that etcd accepts unless `--max-request-bytes` is set. One request holds one object. */
const maxRequestBytes = 1_572_864;
/** Keys, versions and framing in the request beside the object. */
const requestBytes = 4_096;

/** The largest custom resource that can be stored, by `storedBytes` of all of it. */
export const maxStoredBytes = maxRequestBytes - requestBytes;

/** @returns the bytes of a JSON value as a part of a custom resource in etcd */
export function storedBytes(value: unknown): number {
  if (typeof value === 'string' && plain.test(value)) return value.length + 2;
  const text = JSON.stringify(value) ?? '';
  return Buffer.byteLength(text) + escapedBytes(text) - replacedBytes(text);
}

const plain = /^[\w -]*$/;

/**
 * @returns the bytes of the record of a value in `metadata.managedFields`: names of members, without values and items of lists.
 * The API server keeps one for each client that set some of them. The status and the config of a Resource have
 * an empty one.
 */
export function fieldBytes(value: JsonValue): number {
  if (!isJsonObject(value)) return 2;
  const members = Object.entries(value);
  if (members.length === 0) return 2;
  let bytes = '{".":{}}'.length;
  for (const [name, member] of members) {
    bytes += ',"f:":'.length + storedBytes(name) - 2 + fieldBytes(member);
  }
  return bytes;
}

const escaped = /[<>&\u2028\u2029]/;

/** `<`, `>`, `&` and the two separators become `\u003c` and the like: six bytes instead of one or three. */
function escapedBytes(text: string): number {
  if (!escaped.test(text)) return 0;
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) bytes += growthOf(text.charCodeAt(at));
  return bytes;
}

function growthOf(unit: number): number {
  if (unit === 0x3c || unit === 0x3e || unit === 0x26) return 5;
  return unit === 0x2028 || unit === 0x2029 ? 3 : 0;
}

const surrogates = /\\(?:u(d[89a-f][0-9a-f]{2})|.)/g;

/** The API server replaces a lone surrogate, six bytes in JSON.stringify, with U+FFFD of three. */
function replacedBytes(text: string): number {
  if (!text.includes('\\ud')) return 0;
  let bytes = 0;
  for (const [, surrogate] of text.matchAll(surrogates)) bytes += surrogate === undefined ? 0 : 3;
  return bytes;
}
