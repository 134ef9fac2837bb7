// Lists the fields of a JSON Schema for reading. Pure, and bounded, as a schema may be an attack.
import { isSecret, listIn } from '../../../domain/applying-schemas.ts';
import { isJsonObject, type JsonObject, ownMember } from '../../../lib/json.ts';
import { deepest } from './form/model.ts';
import { kindsOf, objectIn, resolved, type Trail, textIn } from './form/schema.ts';

export interface SchemaRow {
  /** Such as `ports[].number`, `labels.*` or `storage|2.bucket`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly description: string;
  /** Such as `minimum 1`. */
  readonly constraints: readonly string[];
  /** As JSON. */
  readonly initial: string | undefined;
}

export interface SchemaRows {
  readonly rows: readonly SchemaRow[];
  /** Whether there are more than are listed. */
  readonly isCut: boolean;
}

const maxRows = 500;
const maxLength = 200;

const keywords = [
  ...['const', 'enum', 'format', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
];

interface Place {
  readonly path: string;
  readonly schema: unknown;
  readonly trail: Trail;
  readonly depth: number;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

export function schemaRowsOf(root: JsonObject): SchemaRows {
  const rows: SchemaRow[] = [];
  const first = { trail: [], depth: 0, isRequired: true, isSecret: false };
  const waiting: Place[] = [{ path: '', schema: root, ...first }];
  let isCut = false;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (rows.length >= maxRows) return { rows, isCut: true };
    const { row, parts, isWhole } = visit(root, place);
    if (place.path !== '') rows.push(row);
    isCut ||= !isWhole;
    // The last one is the next one. More than can be listed need not wait.
    waiting.push(...parts.slice(0, maxRows + 1).toReversed());
  }
  return { rows, isCut };
}

function visit(root: JsonObject, place: Place) {
  const found = resolved(root, place.schema, place.trail);
  const schema = found?.schema ?? objectIn(place.schema);
  const secret = place.isSecret || isSecret(schema);
  const row = rowOf(place, schema, secret);
  if (found === undefined) return { row, parts: [], isWhole: false };
  const at = { ...place, trail: found.trail, depth: place.depth + 1, isSecret: secret };
  const parts = partsOf(schema, at);
  const isDeep = place.depth >= deepest && parts.length > 0;
  return { row, parts: isDeep ? [] : parts, isWhole: !isDeep };
}

function rowOf({ path, isRequired }: Place, schema: JsonObject, secret: boolean): SchemaRow {
  const initial = ownMember(schema, 'default');
  return {
    path,
    type: typeOf(schema),
    isRequired,
    isSecret: secret,
    description: textIn(schema, 'description'),
    constraints: keywords.flatMap((keyword) => {
      const value = ownMember(schema, keyword);
      const isMeant = value !== undefined && Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
      return isMeant ? [`${keyword} ${cut(typeof value === 'string' ? value : json(value))}`] : [];
    }),
    initial: initial === undefined ? undefined : cut(json(initial)),
  };
}

function typeOf(schema: JsonObject): string {
  const named = kindsOf(schema).join(', ');
  if (named !== '') return named;
  const value = ownMember(schema, 'const') ?? listIn(ownMember(schema, 'enum'))[0];
  if (value !== undefined && value !== null) return typeof value;
  return ['anyOf', 'oneOf'].find((keyword) => ownMember(schema, keyword) !== undefined) ?? '';
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

function cut(value: string): string {
  return value.length > maxLength ? `${value.slice(0, maxLength)} …` : value;
}

/** @returns the members, items and variants of a schema */
function partsOf(schema: JsonObject, at: Place): readonly Place[] {
  const required = new Set(listIn(ownMember(schema, 'required')));
  const prefix = at.path === '' ? '' : `${at.path}.`;
  const members = Object.entries(objectIn(ownMember(schema, 'properties'))).map(([name, each]) => ({
    ...at,
    path: `${prefix}${name}`,
    schema: each,
    isRequired: required.has(name),
  }));
  const rest = ownMember(schema, 'additionalProperties');
  const items = ownMember(schema, 'items');
  const variants = [...listIn(ownMember(schema, 'anyOf')), ...listIn(ownMember(schema, 'oneOf'))];
  const isOptional = { isRequired: false };
  return [
    ...members,
    ...(isSaid(rest) ? [{ ...at, ...isOptional, path: `${prefix}*`, schema: rest }] : []),
    ...(isSaid(items) ? [{ ...at, ...isOptional, path: `${at.path}[]`, schema: items }] : []),
    ...variants.map((each, index) => ({
      ...at,
      ...isOptional,
      path: `${at.path}|${index + 1}`,
      schema: each,
    })),
  ];
}

function isSaid(schema: unknown): boolean {
  return isJsonObject(schema) && Object.keys(schema).length > 0;
}
