// Reads single keywords of a schema that a tenant wrote.
import { isJsonArray, type JsonObject, type JsonValue, ownMember } from '../lib/json.ts';

/** @returns whether the schema itself marks its value as one that a resource keeps */
export function isImmutable(schema: JsonObject): boolean {
  return ownMember(schema, 'immutable') === true;
}

/** @returns whether the schema itself marks its values as secret */
export function isSecret(schema: JsonObject): boolean {
  return (
    ownMember(schema, 'writeOnly') === true ||
    ownMember(schema, 'sensitive') === true ||
    ownMember(schema, 'format') === 'password'
  );
}

export function listIn(value: unknown): readonly JsonValue[] {
  return isJsonArray(value) ? value : [];
}

/** @returns the target of `#/$defs/a` */
export function referred(root: JsonObject, ref: unknown): unknown {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const part of ref.split('/').slice(1)) {
    const name = unescaped(part);
    found = isJsonArray(found) ? found[Number(name)] : ownMember(found, name);
  }
  return found;
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}
