// The digest of a plan: what a person approves, and what the request that carries it out repeats. It is keyed, because it covers values
// that its reader may not see, such as a password, which could be guessed otherwise. Pure.
import { createHmac } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../../lib/json.ts';

/** Facts on which a plan depends: the request and, by `provider/resource/name`, each resource. */
export interface PlanFacts {
  readonly request: JsonValue;
  readonly resources: ReadonlyMap<string, JsonValue>;
}

/** Decides. */
const wholeBytes = 16;
/** Names what has changed: of a resource that has, one in 65,536 is not named. */
const partBytes = 2;

/** @returns an opaque text: a code of the whole, and a short one of each resource in order */
export function planDigest(key: Buffer, { request, resources }: PlanFacts): string {
  const parts = [...resources]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([resource, facts]) => mac(key, ['resource', resource, facts]));
  const whole = mac(key, ['plan', request, ...parts.map((part) => part.toString('base64url'))]);
  const shown = parts.map((part) => part.subarray(0, partBytes));
  return Buffer.concat([whole.subarray(0, wholeBytes), ...shown]).toString('base64url');
}

/**
 * @param approved the digest of an earlier plan, which is another one
 * @returns the resources that have changed; none when the request is another one
 */
export function changedPlanParts(
  approved: string,
  key: Buffer,
  facts: PlanFacts,
): readonly string[] {
  const before = Buffer.from(approved, 'base64url');
  const now = Buffer.from(planDigest(key, facts), 'base64url');
  // Nothing can be compared with a plan of other resources.
  if (before.length !== now.length) return [];
  const names = [...facts.resources.keys()].toSorted();
  return names.filter((_name, index) => {
    const from = wholeBytes + index * partBytes;
    return !before.subarray(from, from + partBytes).equals(now.subarray(from, from + partBytes));
  });
}

function mac(key: Buffer, content: JsonValue): Buffer {
  return createHmac('sha256', key).update(canonicalJson(content)).digest();
}
