// The identity of an object of a provider: the values in its outputs, or in an `adopt`, by which a type tells its objects apart. A type
// declares where they are, so that the server finds them in outputs, in an `adopt` and in items of a list. Pure.
import { atPointer, type JsonObject, type JsonValue } from '../../lib/json.ts';

/** JSON Pointers by the names of the members of an identity. */
export type IdentityPointers = Readonly<Record<string, string>>;

/** Both have the same members. */
export interface ObjectIdentity {
  readonly outputs: IdentityPointers;
  readonly adopt: IdentityPointers;
}

export const maxIdentityMembers = 8;
export const maxPointerLength = 256;
export const identityMember = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;
/** Not the empty pointer, and escapes as RFC 6901 has them. */
export const identityPointer = /^(?:\/(?:[^~/]|~[01])*)+$/;

/**
 * @returns the members of the identity; undefined when one is missing, or no text, number or boolean
 * @example identityAt({ id: '/cloud/id' }, { cloud: { id: 'bkt-1', size: 3 } }) // { id: 'bkt-1' }
 */
export function identityAt(pointers: IdentityPointers, value: JsonObject): JsonObject | undefined {
  const members = Object.entries(pointers).map(
    ([name, path]) => [name, atPointer(value, path)] as const,
  );
  const isWhole = members.length > 0 && members.every(([, member]) => isIdentifying(member));
  return isWhole ? Object.fromEntries(members as [string, JsonValue][]) : undefined;
}

function isIdentifying(member: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof member) && member !== '';
}
