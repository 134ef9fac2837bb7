// Lists the fields of a JSON Schema for reading. Pure, and bounded, as a schema may be an attack.

import { findDiscriminator } from '../../domain/unions/discriminator.ts';
import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../../lib/json.ts';
import { isImmutable, isSecret, listIn } from '../../tenant-schema/keywords.ts';
import {
  alternativesIn,
  deepest,
  enumValues,
  kindsOf,
  objectIn,
  type Resolved,
  resolved,
  type Trail,
  textIn,
} from './read.ts';

export interface SchemaRow {
  /** Such as `ports[].number`, `labels.*`, `storage(kind=s3).bucket` or `storage(2)`. */
  readonly path: string;
  /** Such as `integer`, or `string | null`. */
  readonly type: string;
  /** The only values, if the schema lists them. */
  readonly values: readonly JsonValue[] | undefined;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** Whether a resource keeps its value, or that of what contains it, once it exists. */
  readonly isImmutable: boolean;
  readonly description: string;
  /** Such as `minimum 1`. */
  readonly constraints: readonly string[];
  /** As JSON. */
  readonly initial: string | undefined;
}

interface SchemaRows {
  readonly rows: readonly SchemaRow[];
  /** Whether there are more than are listed. */
  readonly isCut: boolean;
}

interface RowOptions {
  /** Whether the fields within fields are listed, too. */
  readonly nested?: boolean;
}

const maxRows = 500;
const maxLength = 200;

const keywords = [
  ...['const', 'enum', 'format', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
];

interface SchemaPosition {
  readonly path: string;
  readonly schema: unknown;
  readonly trail: Trail;
  readonly depth: number;
  /** Whether it is a field, or within one; the schema itself and its variants are not. */
  readonly isField: boolean;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly isImmutable: boolean;
}

/** @example schemaRows({ properties: { size: { type: 'integer' } } }).rows[0].path // 'size' */
export function schemaRows(root: JsonObject, { nested = true }: RowOptions = {}): SchemaRows {
  const rows: SchemaRow[] = [];
  const unmarked = { isSecret: false, isImmutable: false };
  const first = { trail: [], depth: 0, isField: false, isRequired: true, ...unmarked };
  const waiting: SchemaPosition[] = [{ path: '', schema: root, ...first }];
  let isCut = false;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (rows.length >= maxRows) return { rows, isCut: true };
    const { row, parts, isWhole } = visitPosition(root, place);
    if (place.path !== '') rows.push(row);
    if (!nested && place.isField) continue;
    isCut ||= !isWhole;
    // The last one is the next one. More than can be listed need not wait.
    waiting.push(...parts.slice(0, maxRows + 1).toReversed());
  }
  return { rows, isCut };
}

function visitPosition(root: JsonObject, place: SchemaPosition) {
  const found = meantSchema(root, resolved(root, place.schema, place.trail));
  const schema = found?.schema ?? objectIn(place.schema);
  const marks = {
    isSecret: place.isSecret || isSecret(schema),
    isImmutable: place.isImmutable || isImmutable(schema),
  };
  const row = schemaRow({ ...place, ...marks }, root, schema);
  if (found === undefined) return { row, parts: [], isWhole: false };
  const at = { ...place, trail: found.trail, depth: place.depth + 1, ...marks };
  const parts = innerPositions(root, schema, at);
  const isDeep = place.depth >= deepest && parts.length > 0;
  return { row, parts: isDeep ? [] : parts, isWhole: !isDeep };
}

/** @returns what an optional value is besides null, instead of a union of both */
function meantSchema(root: JsonObject, found: Resolved | undefined): Resolved | undefined {
  if (found === undefined) return undefined;
  const { alternatives, isNullable } = alternativesIn(found.schema);
  const [only] = alternatives;
  const inner = alternatives.length === 1 ? resolved(root, only, found.trail) : undefined;
  if (inner === undefined) return found;
  const { anyOf: _, oneOf: __, ...outer } = found.schema;
  const type = isNullable ? { type: [...kindsOf(inner.schema), 'null'] } : {};
  return { schema: { ...inner.schema, ...outer, ...type }, trail: inner.trail };
}

function schemaRow(place: SchemaPosition, root: JsonObject, schema: JsonObject): SchemaRow {
  const initial = ownMember(schema, 'default');
  return {
    path: place.path,
    type: schemaType(root, schema),
    values: enumValues(schema),
    isRequired: place.isRequired,
    isSecret: place.isSecret,
    isImmutable: place.isImmutable,
    description: textIn(schema, 'description'),
    constraints: keywords.flatMap((keyword) => {
      const value = ownMember(schema, keyword);
      const isMeant = value !== undefined && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
      return isMeant
        ? [`${keyword} ${shortValue(typeof value === 'string' ? value : jsonText(value))}`]
        : [];
    }),
    initial: initial === undefined ? undefined : shortValue(jsonText(initial)),
  };
}

function schemaType(root: JsonObject, schema: JsonObject): string {
  const { alternatives, isNullable } = alternativesIn(schema);
  const of = alternatives.map((each) => schemaKind(resolved(root, each, [])?.schema ?? {}));
  const kinds = [schemaKind(schema), ...of].filter((kind) => kind !== '');
  return [...new Set(isNullable ? [...kinds, 'null'] : kinds)].join(' | ');
}

function schemaKind(schema: JsonObject): string {
  const named = kindsOf(schema).join(' | ');
  if (named !== '') return named;
  const [value] = enumValues(schema) ?? [];
  return value === undefined || value === null ? '' : typeof value;
}

function jsonText(value: unknown): string {
  return JSON.stringify(value);
}

function shortValue(value: string): string {
  return value.length > maxLength ? `${value.slice(0, maxLength)} …` : value;
}

/** @returns the members, items and variants of a schema */
function innerPositions(
  root: JsonObject,
  schema: JsonObject,
  at: SchemaPosition,
): readonly SchemaPosition[] {
  const required = new Set(listIn(ownMember(schema, 'required')));
  const prefix = at.path === '' ? '' : `${at.path}.`;
  const field = { ...at, isField: true };
  const members = Object.entries(objectIn(ownMember(schema, 'properties'))).map(([name, each]) => ({
    ...field,
    path: `${prefix}${name}`,
    schema: each,
    isRequired: required.has(name),
  }));
  const rest = ownMember(schema, 'additionalProperties');
  const items = ownMember(schema, 'items');
  const { alternatives } = alternativesIn(schema);
  const names = variantNames(alternatives, root);
  const isOptional = { isRequired: false };
  return [
    ...members,
    ...(isDescribed(rest) ? [{ ...field, ...isOptional, path: `${prefix}*`, schema: rest }] : []),
    ...(isDescribed(items)
      ? [{ ...field, ...isOptional, path: `${at.path}[]`, schema: items }]
      : []),
    ...alternatives.map((each, index) => ({
      ...at,
      ...isOptional,
      path: `${at.path}(${names[index] ?? index + 1})`,
      schema: each,
    })),
  ];
}

/** @returns what tells each variant apart, such as `kind=s3`; nothing where no property does */
function variantNames(alternatives: readonly JsonValue[], root: JsonObject): readonly string[] {
  const found = findDiscriminator(alternatives, root);
  if (found === undefined) return [];
  const { property, forms } = found;
  return alternatives.map((_, index) => {
    const values = forms
      .filter(([, form]) => form === index)
      .map(([value]) => (typeof value === 'string' ? value : jsonText(value)));
    return values.length === 0 ? `${index + 1}` : shortValue(`${property}=${values.join('|')}`);
  });
}

function isDescribed(schema: unknown): boolean {
  return isJsonObject(schema) && Object.keys(schema).length > 0;
}
