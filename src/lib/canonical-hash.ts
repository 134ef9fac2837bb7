// The hash of a JSON value, whatever the order of its keys. Pure.
import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from './json.ts';

/** @returns 32 hex digits that are equal exactly when the canonical texts are */
export function canonicalHash(value: JsonValue): string {
  return createHash('sha256').update(canonicalJson(value)).digest().toString('hex', 0, 16);
}
