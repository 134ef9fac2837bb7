// Reads the JSON Schema of a provider's settings: an object with named properties, one for each setting. A setting is
// stored as text, in one key of a Secret: a setting that is always text as it is, any other one as JSON.

import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../../lib/json.ts';
import { isSecret, listIn, referred } from '../../tenant-schema/keywords.ts';

/** Also a legal key of a Secret, and the name of a file. */
export const settingNamePattern = /^[A-Za-z][A-Za-z0-9_.-]{0,62}$/;
const maxSettings = 100;

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
  const sensitive = sensitiveParts(
    schema,
    properties.map(([, each]) => each),
  );
  const isText = textSchemaCheck(schema);
  return properties
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, each]) => {
      const property = isJsonObject(each) ? each : {};
      const description = ownMember(property, 'description');
      return {
        name,
        schema: property,
        description: typeof description === 'string' ? description : '',
        isSensitive: sensitive.has(each),
        isRequired: required.includes(name),
        isText: isText(property),
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

/**
 * Looks at everything below the schemas, whether it applies or not: a mark that is found in vain only hides more. Once for all of
 * them: they may refer to the same definitions.
 * @returns what is marked, or contains what is
 */
function sensitiveParts(root: JsonObject, schemas: readonly JsonValue[]): ReadonlySet<unknown> {
  const around = new Map<unknown, unknown[]>(schemas.map((schema) => [schema, []]));
  // A Map iterates over what is added meanwhile, too, and so does a Set.
  for (const [part] of around) {
    for (const inner of innerSchemas(root, part)) {
      const before = around.get(inner);
      if (before === undefined) around.set(inner, [part]);
      else before.push(part);
    }
  }
  const found = new Set([...around.keys()].filter((part) => mayBeSecret(root, part)));
  for (const part of found) {
    for (const outer of around.get(part) ?? []) found.add(outer);
  }
  return found;
}

function innerSchemas(root: JsonObject, part: unknown): readonly unknown[] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = [...Object.values(part), referred(root, ownMember(part, '$ref'))];
  return inner.filter((each) => typeof each === 'object' && each !== null);
}

/** A reference that leads nowhere is unknown to us, so perhaps marked. */
function mayBeSecret(root: JsonObject, part: unknown): boolean {
  const reference = ownMember(part, '$ref');
  const isUnknown = reference !== undefined && referred(root, reference) === undefined;
  return isUnknown || (isJsonObject(part) && isSecret(part));
}

const maxReferences = 16;

/** @returns what tells whether every value of a schema is text; remembers each schema, which others may include, too */
function textSchemaCheck(root: JsonObject): (schema: unknown) => boolean {
  const known = new Map<JsonObject, boolean>();

  function isText(schema: unknown, depth: number): boolean {
    if (!isJsonObject(schema) || depth > maxReferences) return false;
    const before = known.get(schema);
    if (before !== undefined) return before;
    // While it is looked at: one that includes itself is no text.
    known.set(schema, false);
    const found = isTextItself(schema, depth);
    known.set(schema, found);
    return found;
  }

  function isTextItself(schema: JsonObject, depth: number): boolean {
    if (ownMember(schema, 'type') === 'string') return true;
    const branches = [...listIn(ownMember(schema, 'anyOf')), ...listIn(ownMember(schema, 'oneOf'))];
    if (branches.length > 0) return branches.every((each) => isText(each, depth + 1));
    const reference = ownMember(schema, '$ref');
    return reference !== undefined && isText(referred(root, reference), depth + 1);
  }

  return (schema) => isText(schema, 0);
}
