// Masks provider outputs except those that identify the external object. Many types mark no secrets in their outputs, so this
// file lists what is kept, by the last word of its name.
import { type JsonObject, type JsonValue, mapMembers } from '../../lib/json.ts';
import { maskedValue } from './mask-text.ts';

const identifyingWords = new Set([
  ...['id', 'uid', 'uuid', 'guid', 'arn', 'urn', 'name', 'kind', 'type', 'version'],
  ...['host', 'hostname', 'fqdn', 'domain', 'address', 'ip', 'port', 'url', 'uri', 'endpoint'],
  ...['account', 'project', 'region', 'zone', 'location', 'namespace', 'cluster', 'bucket'],
  ...['database', 'schema', 'table', 'queue', 'topic', 'user', 'username', 'role', 'owner'],
]);
/** `client_secret_id` and similar names denote a secret, whatever their last word is. */
const secretWords = /secret|passw|passphrase|token|credential|private|session|otp|pin\b/i;
const maxIdentifierLength = 256;
/** The longest word in the plural, and a character that shows that it is no longer. */
const lastCharacters = Math.max(...[...identifyingWords].map((word) => word.length)) + 2;

/** @returns the outputs, with `[masked]` in place of every value that is not a known identifier */
export function identifying(outputs: JsonObject): JsonObject {
  return mapMembers(outputs, (value, name) => shownMember(name, value));
}

function shownMember(name: string, value: JsonValue): JsonValue {
  if (secretWords.test(name)) return maskedValue;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return identifying(value as JsonObject);
  }
  if (!identifies(name)) return maskedValue;
  if (Array.isArray(value)) return value.map((item) => shownMember(name, item));
  return typeof value === 'string' ? identifier(value) : value;
}

/** Checks the last word, in snake_case, kebab-case or camelCase. The expression takes the square of the length, which is the provider's. */
function identifies(name: string): boolean {
  const word = /([A-Z]?[a-z]+|[A-Z]+)s?$/.exec(name.slice(-lastCharacters))?.[1] ?? '';
  const lower = word.toLowerCase();
  return identifyingWords.has(lower) || identifyingWords.has(lower.replace(/s$/, ''));
}

/** Reduces a URL to its origin: user, path and query may hold a secret. */
function identifier(value: string): string {
  if (value.length > maxIdentifierLength) return maskedValue;
  const [, scheme, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(value) ?? [];
  if (scheme !== undefined && authority !== undefined) {
    return `${scheme}://${authority.slice(authority.lastIndexOf('@') + 1)}`;
  }
  // Masks `user:password@host` without a scheme, and text like a connection string.
  return /[@=\s]/.test(value) ? maskedValue : value;
}
