// Keywords that hold schemas: the subschemas of a schema, and the target of `$ref`. Pure.
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../lib/json.ts';

export type Loc = readonly (string | number)[];

/** A subschema applies to the same value as the enclosing schema, to a part of it, or to nothing until referenced. */
type Judges = 'same' | 'part' | 'nothing';

export interface Applicator {
  readonly holds: 'schema' | 'schemaList' | 'schemaMap';
  readonly judges: Judges;
}

interface Subschema {
  readonly schema: JsonValue;
  /** The path from the enclosing schema. */
  readonly step: readonly [keyword: string, ...name: (string | number)[]];
  readonly judges: Judges;
}

const schema = (judges: Judges): Applicator => ({ holds: 'schema', judges });
const schemaList = (judges: Judges): Applicator => ({ holds: 'schemaList', judges });
const schemaMap = (judges: Judges): Applicator => ({ holds: 'schemaMap', judges });

/** The keywords of JSON Schema 2020-12 whose values are schemas. */
export const applicators: Readonly<Record<string, Applicator>> = {
  properties: schemaMap('part'),
  patternProperties: schemaMap('part'),
  additionalProperties: schema('part'),
  unevaluatedProperties: schema('part'),
  propertyNames: schema('part'),
  dependentSchemas: schemaMap('same'),
  prefixItems: schemaList('part'),
  items: schema('part'),
  unevaluatedItems: schema('part'),
  contains: schema('part'),
  allOf: schemaList('same'),
  anyOf: schemaList('same'),
  oneOf: schemaList('same'),
  not: schema('same'),
  if: schema('same'),
  // biome-ignore lint/suspicious/noThenProperty: it is the name of a keyword
  then: schema('same'),
  else: schema('same'),
  $defs: schemaMap('nothing'),
  definitions: schemaMap('nothing'),
};

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

/** @returns the schemas directly inside a schema; what is not well-formed has none */
export function subschemas(schema: JsonObject): readonly Subschema[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (!Object.hasOwn(applicators, keyword)) return [];
    const { holds, judges } = applicators[keyword] as Applicator;
    if (holds === 'schema') return [{ schema: value, step: [keyword], judges }];
    return members(value, keyword, judges);
  });
}

interface SchemaAt {
  readonly schema: JsonValue;
  readonly loc: Loc;
}

/** @returns a well-formed schema and every schema inside it, in the order of its text */
export function* everySchema(root: JsonObject): Iterable<SchemaAt> {
  const waiting: SchemaAt[] = [{ schema: root, loc: [] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next;
    if (!isJsonObject(next.schema)) continue;
    const { loc } = next;
    const inner = subschemas(next.schema).map(({ schema, step }) => ({
      schema,
      loc: [...loc, ...step],
    }));
    waiting.push(...inner.reverse());
  }
}

function members(value: JsonValue, keyword: string, judges: Judges): readonly Subschema[] {
  if (isJsonArray(value)) {
    return value.map((schema, index) => ({ schema, step: [keyword, index], judges }));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).map(([name, schema]) => ({ schema, step: [keyword, name], judges }));
}
