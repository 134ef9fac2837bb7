// The hash of a JSON value, whatever the order of its keys. Pure.
import { createHash } from 'node:crypto';
import { canonicalJson, isJsonArray, type JsonValue } from './json.ts';

/** @returns 32 hex digits that are equal exactly when the canonical texts are */
export function canonicalHash(value: JsonValue): string {
  // The API server stores keys in this order, and the engine writes such a value several times as fast.
  const text = isSorted(value) ? JSON.stringify(value) : canonicalJson(value);
  return createHash('sha256').update(text).digest().toString('hex', 0, 16);
}

function isSorted(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (isJsonArray(value)) return value.every(isSorted);
  let before: string | undefined;
  for (const key of Object.keys(value)) {
    if ((before !== undefined && key < before) || !isSorted(value[key])) return false;
    before = key;
  }
  return true;
}
