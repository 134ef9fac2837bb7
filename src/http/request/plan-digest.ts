// The digest of a plan: what a person approves, and what the request that carries it out repeats. It is keyed, because it covers values
// that its reader may not see, such as a password, which could be guessed otherwise. Pure.
import { createHmac, type KeyObject } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../../lib/json.ts';

/** By `provider/resource/name`, the codes of what a plan says of each resource, and of what it depends on. */
export type PlanParts = ReadonlyMap<string, Buffer>;

/** Decides. */
const wholeBytes = 16;
/** Names what has changed: of a resource that has, one in 65,536 is not named. */
const partBytes = 2;

/** One at a time, because the facts of a resource may be large. */
export function planPart(key: KeyObject, resource: string, facts: JsonValue): Buffer {
  return mac(key, ['resource', resource, facts]);
}

/**
 * @param request without its resources, which have parts
 * @returns an opaque text: a code of the whole, and a short one of each resource in order
 */
export function planDigest(key: KeyObject, request: JsonValue, parts: PlanParts): string {
  const ordered = orderedParts(parts).map(([, part]) => part);
  const whole = mac(key, ['plan', request, ...ordered.map((part) => part.toString('base64url'))]);
  const shown = ordered.map((part) => part.subarray(0, partBytes));
  return Buffer.concat([whole.subarray(0, wholeBytes), ...shown]).toString('base64url');
}

/**
 * @param approved the digest of an earlier plan, which is another one
 * @returns the resources that have changed; none when only the rest of the request has, or when there are more or fewer resources
 */
export function changedPlanParts(approved: string, parts: PlanParts): readonly string[] {
  const before = Buffer.from(approved, 'base64url').subarray(wholeBytes);
  if (before.length !== parts.size * partBytes) return [];
  return orderedParts(parts)
    .filter(([, part], index) => {
      const from = index * partBytes;
      return !before.subarray(from, from + partBytes).equals(part.subarray(0, partBytes));
    })
    .map(([name]) => name);
}

function orderedParts(parts: PlanParts): readonly (readonly [string, Buffer])[] {
  return [...parts].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

/** Given a Buffer, Node.js would make a key of it each time, which takes longer than the code. */
function mac(key: KeyObject, content: JsonValue): Buffer {
  return createHmac('sha256', key).update(canonicalJson(content)).digest();
}
