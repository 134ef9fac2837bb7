// Reads the JSON Schema of a provider's settings: an object with named properties, one for each setting. A setting is
// stored as text, in one key of a Secret: a setting that is always text as it is, any other one as JSON.

import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../../lib/json.ts';
import { isSecret, listIn, referred } from '../../tenant-schema/keywords.ts';

/** Also a legal key of a Secret, and the name of a file. */
export const settingNamePattern = /^[A-Za-z][A-Za-z0-9_.-]{0,62}$/;
export const maxSettings = 100;

/** How the runtime of a provider begins to say that it cannot run with its settings; the controller recognises it. */
export const settingsProblems = {
  invalid: 'the settings are invalid',
  refused: 'the settings do not work',
} as const;

export interface Setting {
  readonly name: string;
  readonly schema: JsonObject;
  readonly description: string;
  /** The schema marks it or a part of it. */
  readonly isSensitive: boolean;
  /** It has no default. */
  readonly isRequired: boolean;
  /** Every valid value is a text. */
  readonly isText: boolean;
}

/** @returns why a schema cannot be that of settings; undefined when it can */
export function settingsProblem(schema: JsonObject): string | undefined {
  const properties = ownMember(schema, 'properties');
  if (ownMember(schema, 'type') !== 'object' || !isJsonObject(properties)) {
    return 'the settings must be an object with named properties: z.object({ … })';
  }
  const names = Object.keys(properties);
  if (names.length > maxSettings) return `there are more than ${maxSettings} settings`;
  const illegal = names.find((name) => !settingNamePattern.test(name));
  if (illegal === undefined) return undefined;
  return `"${illegal.slice(0, 63)}" is not a valid name of a setting; it must match ${settingNamePattern.source}`;
}

/** @returns the settings sorted by name: a stored schema has no order */
export function settingsIn(schema: JsonObject | undefined): readonly Setting[] {
  if (schema === undefined || settingsProblem(schema) !== undefined) return [];
  const required = listIn(ownMember(schema, 'required'));
  const properties = Object.entries(ownMember(schema, 'properties') as JsonObject);
  return properties
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, each]) => {
      const property = isJsonObject(each) ? each : {};
      const description = ownMember(property, 'description');
      return {
        name,
        schema: property,
        description: typeof description === 'string' ? description : '',
        isSensitive: isSensitive(schema, property),
        isRequired: required.includes(name),
        isText: isText(schema, property),
      };
    });
}

/** @returns a schema of the same settings for an object with some of them */
export function partialSettings(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([keyword]) => partial.includes(keyword));
  return { ...Object.fromEntries(kept), type: 'object' };
}

/** `properties` also for references to them. */
const partial = ['$schema', '$defs', 'definitions', 'properties'];

/** @returns the stored form of a value */
export function settingText({ isText: raw }: Pick<Setting, 'isText'>, value: JsonValue): string {
  return raw && typeof value === 'string' ? value : JSON.stringify(value);
}

/** @returns the value of a stored form. Others than Fairlead write plain text where a text or something else may stand. */
export function settingValue({ isText: raw }: Pick<Setting, 'isText'>, text: string): JsonValue {
  if (raw) return text;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** Looks at everything below the schema, whether it applies or not: a mark that is found in vain only hides more. */
function isSensitive(root: JsonObject, schema: JsonObject): boolean {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [schema];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    if (isSecret(next as JsonObject)) return true;
    waiting.push(...Object.values(next));
    const reference = ownMember(next, '$ref');
    if (reference === undefined) continue;
    const target = referred(root, reference);
    // Unknown to us, so perhaps marked.
    if (target === undefined) return true;
    waiting.push(target);
  }
  return false;
}

const maxReferences = 16;

function isText(root: JsonObject, schema: unknown, depth = 0): boolean {
  if (!isJsonObject(schema) || depth > maxReferences) return false;
  if (ownMember(schema, 'type') === 'string') return true;
  const branches = [...listIn(ownMember(schema, 'anyOf')), ...listIn(ownMember(schema, 'oneOf'))];
  if (branches.length > 0) return branches.every((each) => isText(root, each, depth + 1));
  const reference = ownMember(schema, '$ref');
  return reference !== undefined && isText(root, referred(root, reference), depth + 1);
}
