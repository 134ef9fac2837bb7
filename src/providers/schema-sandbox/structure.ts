// Locates subschemas inside a schema and resolves `$ref`. Pure.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { ruleOf } from './keywords.ts';

export type Loc = readonly (string | number)[];

export interface Subschema {
  readonly schema: JsonValue;
  /** The path from the enclosing schema. */
  readonly step: Loc;
  /** Applies to the same value as the enclosing schema, to a part of it, or to nothing until referenced. */
  readonly judges: 'same' | 'part' | 'nothing';
}

const reference = /^#(?:\/(\$defs|definitions)\/([A-Za-z0-9_.-]{1,128}))?$/;

/** @returns the schema a `$ref` refers to; undefined when it is not local or refers to nothing */
export function referenced(root: JsonObject, ref: string): JsonValue | undefined {
  const match = reference.exec(ref);
  if (match === null) return undefined;
  const [, container, name] = match;
  if (container === undefined || name === undefined) return root;
  const definitions = root[container];
  return isJsonObject(definitions) && Object.hasOwn(definitions, name)
    ? definitions[name]
    : undefined;
}

/** @returns the schemas directly inside a well-formed schema */
export function subschemas(schema: JsonObject): readonly Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const rule = ruleOf(keyword);
    if (rule === undefined) return [];
    if (rule.holds === 'schema') return [{ schema: value, step: [keyword], judges: rule.judges }];
    if (rule.holds === 'definitions') return members(value, keyword, 'nothing');
    return 'judges' in rule ? members(value, keyword, rule.judges) : [];
  });
}

/** @returns the path of each schema inside a well-formed schema */
export function placesIn(root: JsonObject): ReadonlyMap<JsonValue, Loc> {
  const places = new Map<JsonValue, Loc>([[root, []]]);
  // A Map iterates over what is added meanwhile, too.
  for (const [schema, place] of places) {
    if (!isJsonObject(schema)) continue;
    for (const { schema: inner, step } of subschemas(schema)) {
      if (isJsonObject(inner)) places.set(inner, [...place, ...step]);
    }
  }
  return places;
}

function members(value: JsonValue, keyword: string, judges: Subschema['judges']): Subschema[] {
  if (isJsonArray(value)) {
    return value.map((schema, index) => ({ schema, step: [keyword, index], judges }));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).map(([name, schema]) => ({ schema, step: [keyword, name], judges }));
}
