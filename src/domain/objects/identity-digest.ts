// Digests of identities: one may be long or secret, and lookups compare them. Pure.
import { canonicalJson, type JsonObject } from '../../lib/json.ts';
import { halfSha256Hex } from '../identity.ts';
import { type IdentityPointers, identityAt } from './identity.ts';

/**
 * @returns undefined when the value lacks the identity
 * @example identityDigest({ id: '/id' }, { id: 'bkt-1', size: 3 }) // the digest of {"id":"bkt-1"}
 */
export function identityDigest(pointers: IdentityPointers, value: JsonObject): string | undefined {
  const identity = identityAt(pointers, value);
  return identity && digestOf(identity);
}

/** An `adopt` of a type without an identity is one as a whole. */
export function digestOf(identity: JsonObject): string {
  return halfSha256Hex(canonicalJson(identity));
}
