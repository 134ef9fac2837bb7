// Makes a tree of fields of the JSON Schema of a type. Pure. Patterns of tenants are never run here: the server validates.

import {
  alternativesIn,
  deepest,
  enumValues,
  kindsOf,
  numberIn,
  objectIn,
  type Resolved,
  resolved,
  type Trail,
  textIn,
} from '../../../../client/schema/read.ts';
import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../../../../lib/json.ts';
import { isImmutable, isSecret } from '../../../../tenant-schema/keywords.ts';

interface Common {
  readonly description: string;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  /** Whether the schema marks it, or what contains it, as sensitive. */
  readonly isSecret: boolean;
  /** Whether a resource keeps its value, or that of what contains it, once it exists. */
  readonly isImmutable: boolean;
  /** The default; undefined when there is none. */
  readonly initial: JsonValue | undefined;
}

interface Shapes {
  text: { readonly isLong: boolean; readonly min?: number; readonly max?: number };
  number: { readonly isInteger: boolean; readonly min?: number; readonly max?: number };
  boolean: object;
  choice: { readonly options: readonly JsonValue[] };
  fixed: { readonly value: JsonValue };
  group: { readonly members: readonly { readonly name: string; readonly field: Field }[] };
  list: { readonly item: Field; readonly min: number };
  record: { readonly item: Field };
  variants: { readonly variants: readonly { readonly name: string; readonly field: Field }[] };
  /** A schema of which no field can be made: typed as JSON. */
  json: object;
}

type Kind = keyof Shapes;

/** @example FieldOf<'list'> */
export type FieldOf<K extends Kind> = {
  readonly [Each in K]: { readonly kind: Each } & Shapes[Each];
}[K] &
  Common;

export type Field = { [Each in Kind]: FieldOf<Each> }[Kind];

/** A larger schema would make a page that nobody can use, and an attack one that freezes. */
const maxFields = 500;
const maxOptions = 300;
const longText = 200;

interface FormBuild {
  readonly root: JsonObject;
  /** How many more fields there may be. */
  left: number;
}

interface FieldContext {
  readonly depth: number;
  readonly trail: Trail;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly isImmutable: boolean;
}

/** @param schema null permits any object */
export function formField(schema: JsonObject | null): Field {
  const root = schema ?? {};
  const build = { root, left: maxFields };
  const unmarked = { isSecret: false, isImmutable: false };
  const field = fieldAt(build, root, { depth: 0, trail: [], isRequired: true, ...unmarked });
  // A config is an object.
  return ['group', 'record', 'variants'].includes(field.kind) ? field : jsonField(field);
}

/** @returns the same field, typed as JSON */
export function jsonField({
  description,
  isRequired,
  isNullable,
  isSecret,
  isImmutable,
  initial,
}: Field): Field {
  return { kind: 'json', description, isRequired, isNullable, isSecret, isImmutable, initial };
}

function fieldAt(build: FormBuild, given: unknown, at: FieldContext): Field {
  const found = resolved(build.root, given, at.trail);
  const schema = found?.schema ?? objectIn(given);
  const { alternatives, isNullable } = alternativesIn(schema);
  const common: Common = {
    description: textIn(schema, 'description'),
    isRequired: at.isRequired,
    isNullable,
    isSecret: at.isSecret || isSecret(schema),
    isImmutable: at.isImmutable || isImmutable(schema),
    initial: Object.hasOwn(schema, 'default') ? schema['default'] : undefined,
  };
  if (found === undefined) return { kind: 'json', ...common };
  const { isSecret: isHidden, isImmutable: isKept } = common;
  const next = { ...at, trail: found.trail, isSecret: isHidden, isImmutable: isKept };
  const values = enumValues(schema);
  if (values !== undefined) return choiceOf(values, common);
  if (alternatives.length > 0 && !Object.hasOwn(schema, 'properties')) {
    return variantsOf(build, alternatives, { common, at: next });
  }
  const [kind, ...others] = kindsOf(schema);
  if (others.length > 0) return { kind: 'json', ...common };
  return simpleOf(kind, schema, common) ?? containerField(build, kind, { found, common, at: next });
}

function choiceOf(values: readonly JsonValue[], common: Common): Field {
  const options = values.filter((value) => value !== null);
  const [only] = options;
  if (values.length === 1 && only !== undefined) return { kind: 'fixed', value: only, ...common };
  const isUsable = options.length > 0 && options.length <= maxOptions;
  return isUsable ? { kind: 'choice', options, ...common } : { kind: 'json', ...common };
}

function simpleOf(kind: string | undefined, schema: JsonObject, common: Common): Field | undefined {
  if (kind === 'string') {
    const [min, max] = [numberIn(schema, 'minLength'), numberIn(schema, 'maxLength')];
    const isLong =
      (max ?? 0) > longText ||
      textIn(schema, 'contentMediaType') !== '' ||
      `${common.initial}`.includes('\n');
    return { kind: 'text', isLong, ...meantLimits(min, max), ...common };
  }
  if (kind === 'integer' || kind === 'number') {
    const isInteger = kind === 'integer';
    return { kind: 'number', isInteger, ...rangeOf(schema, isInteger), ...common };
  }
  return kind === 'boolean' ? { kind: 'boolean', ...common } : undefined;
}

function rangeOf(schema: JsonObject, isInteger: boolean) {
  const [above, below] = ['exclusiveMinimum', 'exclusiveMaximum'].map((each) =>
    isInteger ? numberIn(schema, each) : undefined,
  );
  return meantLimits(
    numberIn(schema, 'minimum') ?? (above === undefined ? above : above + 1),
    numberIn(schema, 'maximum') ?? (below === undefined ? below : below - 1),
  );
}

/** The limits of safe integers are those of the language that declared the type: they say nothing. */
function meantLimits(min: number | undefined, max: number | undefined) {
  const isMeant = (value: number | undefined) =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  return {
    ...(min !== undefined && isMeant(min) ? { min } : {}),
    ...(max !== undefined && isMeant(max) ? { max } : {}),
  };
}

interface FieldSurroundings {
  readonly common: Common;
  readonly at: FieldContext;
}

function containerField(
  build: FormBuild,
  kind: string | undefined,
  { found: { schema }, common, at }: FieldSurroundings & { readonly found: Resolved },
): Field {
  const json: Field = { kind: 'json', ...common };
  if (at.depth >= deepest) return json;
  const inside = { ...at, depth: at.depth + 1, isRequired: true };
  if (kind === 'array') {
    const items = ownMember(schema, 'items');
    const isPlain = isJsonObject(items) && !Object.hasOwn(schema, 'prefixItems');
    if (!isPlain || !reserve(build, 1)) return json;
    const min = numberIn(schema, 'minItems') ?? 0;
    return { kind: 'list', item: fieldAt(build, items, inside), min, ...common };
  }
  if (kind !== 'object') return json;
  const properties = Object.entries(objectIn(ownMember(schema, 'properties')));
  if (properties.length > 0) return groupField(build, properties, { schema, common, at: inside });
  const rest = ownMember(schema, 'additionalProperties');
  if (rest === false) return { kind: 'group', members: [], ...common };
  if (!isJsonObject(rest) || Object.keys(rest).length === 0 || !reserve(build, 1)) return json;
  return { kind: 'record', item: fieldAt(build, rest, inside), ...common };
}

function groupField(
  build: FormBuild,
  properties: readonly (readonly [string, JsonValue])[],
  { schema, common, at }: FieldSurroundings & { readonly schema: JsonObject },
): Field {
  // All of a level before the next one, so that a deep member does not use up those after it.
  if (!reserve(build, properties.length)) return { kind: 'json', ...common };
  const listed = ownMember(schema, 'required');
  const required = new Set(Array.isArray(listed) ? listed : []);
  const members = properties.map(([name, each]) => ({
    name,
    field: fieldAt(build, each, { ...at, isRequired: required.has(name) }),
  }));
  return { kind: 'group', members, ...common };
}

function reserve(build: FormBuild, count: number): boolean {
  if (build.left < count) return false;
  build.left -= count;
  return true;
}

function variantsOf(
  build: FormBuild,
  alternatives: readonly JsonValue[],
  { common, at }: FieldSurroundings,
): Field {
  const json: Field = { kind: 'json', ...common };
  const found = alternatives
    .slice(0, maxOptions + 1)
    .map((each) => resolved(build.root, each, at.trail));
  const schemas = found.flatMap((each) => (each === undefined ? [] : [each.schema]));
  const isComplete = schemas.length === alternatives.length;
  const values = schemas.flatMap((each) => enumValues(each) ?? []);
  if (isComplete && schemas.every((each) => enumValues(each) !== undefined)) {
    return choiceOf(values, common);
  }
  const [only] = alternatives;
  if (alternatives.length === 1) {
    const field = fieldAt(build, only, at);
    const { description, initial, isNullable } = common;
    return {
      ...field,
      description: description || field.description,
      initial: initial ?? field.initial,
      isNullable: isNullable || field.isNullable,
    };
  }
  const names = isComplete ? namesOf(schemas) : [];
  const isNamed = names.length > 0 && new Set(names).size === names.length;
  if (!isNamed || at.depth >= deepest || !reserve(build, names.length)) return json;
  const variants = names.map((name, index) => ({
    name,
    field: fieldAt(build, alternatives[index], { ...at, depth: at.depth + 1, isRequired: true }),
  }));
  return { kind: 'variants', variants, ...common };
}

/** @returns what people choose among: the constant that tells the variants apart, or their titles, or types */
function namesOf(schemas: readonly JsonObject[]): readonly string[] {
  const [first = {}] = schemas;
  for (const name of Object.keys(objectIn(ownMember(first, 'properties')))) {
    const values = schemas.map((each) => constantOf(each, name));
    if (values.every((value) => value !== undefined)) return values.map(String);
  }
  const titles = schemas.map((each) => textIn(each, 'title'));
  if (titles.every((title) => title !== '')) return titles;
  return schemas.map((each) => kindsOf(each).join(', '));
}

function constantOf(schema: JsonObject, name: string): JsonValue | undefined {
  const member = ownMember(ownMember(schema, 'properties'), name);
  const values = isJsonObject(member) ? enumValues(member) : undefined;
  return values?.length === 1 ? values[0] : undefined;
}
