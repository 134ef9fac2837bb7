// The digest of a plan: what a person approves, and what the request that carries it out repeats. It is keyed, because it covers values
// that its reader may not see, such as a password, which could be guessed otherwise. Pure.
import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../../lib/json.ts';

/** By `provider/resource/name`, the codes of what a plan says of each resource, and of what it depends on. */
export type PlanParts = ReadonlyMap<string, Buffer>;

/** Decides. */
const wholeBytes = 16;
/** Names what has changed: of a resource that has, one in 65,536 is not named. */
const codeBytes = 2;
/** With a code of its own for each resource, a digest of a large set would be too long for a query. */
const maxOwnCodes = 1_000;
/** A large plan has so many lists of codes; the number of codes tells which of the two kinds a digest has. */
const lists = 4;
/** Codes of a list: a byte chooses one. */
const listCodes = 256;

/** One at a time, because the facts of a resource may be large. */
export function planPart(key: KeyObject, resource: string, facts: JsonValue): Buffer {
  return mac(key, ['resource', resource, facts]);
}

/**
 * @param request without its resources, which have parts
 * @returns an opaque text: a code of the whole, and short codes that name what has changed; at most 2,752 characters
 */
export function planDigest(key: KeyObject, request: JsonValue, parts: PlanParts): string {
  const ordered = orderedParts(parts).map(([, part]) => part.toString('base64url'));
  const whole = mac(key, ['plan', request, ...ordered]);
  return Buffer.concat([whole.subarray(0, wholeBytes), planCodes(parts)]).toString('base64url');
}

/**
 * @param approved the digest of an earlier plan, which is another one
 * @returns the resources that have changed; none when only the rest of the request has, or when there are more or fewer resources. In
 *   a large plan, those that are new, too; and where many have changed, now and then one that has not
 */
export function changedPlanParts(approved: string, parts: PlanParts): readonly string[] {
  const before = Buffer.from(approved, 'base64url').subarray(wholeBytes);
  const now = planCodes(parts);
  if (before.length !== now.length) return [];
  const differs = (code: number) =>
    before.readUInt16BE(code * codeBytes) !== now.readUInt16BE(code * codeBytes);
  return orderedParts(parts)
    .filter(([name], index) => codesOf(name, index, parts.size).every(differs))
    .map(([name]) => name);
}

/** Each code is the sum, without carry, of the parts that it covers. */
function planCodes(parts: PlanParts): Buffer {
  const count = parts.size <= maxOwnCodes ? parts.size : lists * listCodes;
  const codes = Buffer.alloc(count * codeBytes);
  for (const [index, [name, part]] of orderedParts(parts).entries()) {
    for (const code of codesOf(name, index, parts.size)) {
      const at = code * codeBytes;
      codes.writeUInt16BE(codes.readUInt16BE(at) ^ part.readUInt16BE(), at);
    }
  }
  return codes;
}

/**
 * In a large plan, a resource has one code of each list, which it shares with others. Two resources hardly ever share all of them, so one of
 * which all differ has changed. The codes depend on its name alone: a resource that comes or goes changes no others.
 * @returns the places of its codes
 */
function codesOf(name: string, index: number, size: number): readonly number[] {
  if (size <= maxOwnCodes) return [index];
  const hash = createHash('sha256').update(name).digest();
  return Array.from({ length: lists }, (_each, list) => list * listCodes + (hash[list] ?? 0));
}

function orderedParts(parts: PlanParts): readonly (readonly [string, Buffer])[] {
  return [...parts].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Given a Buffer, Node.js would make a key of it each time, which takes longer than the code. */
function mac(key: KeyObject, content: JsonValue): Buffer {
  return createHmac('sha256', key).update(canonicalJson(content)).digest();
}
