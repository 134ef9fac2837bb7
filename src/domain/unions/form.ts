// A form of a union: one schema of `anyOf` or `oneOf`. Pure.
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownMember,
} from '../../lib/json.ts';
import { referred } from '../../tenant-schema/keywords.ts';

/** Forms within forms, and references to references. */
export const maxDepth = 5;

/** @returns the schema behind references */
export function followed(schema: unknown, root: JsonObject): unknown {
  let found = schema;
  for (let step = 0; step < maxDepth; step += 1) {
    const ref = ownMember(found, '$ref');
    if (typeof ref !== 'string') break;
    found = referred(root, ref);
  }
  return found;
}

/** @returns the forms that a form consists of */
export function innerForms(schema: unknown): readonly JsonValue[] {
  const inner = ownMember(schema, 'anyOf') ?? ownMember(schema, 'oneOf');
  return isJsonArray(inner) ? inner : [];
}

/** @returns whether a form may accept values of the type of this one, as far as its own keywords say */
export function takesType(
  form: JsonValue | undefined,
  value: JsonValue,
  root: JsonObject,
): boolean {
  const schema = followed(form, root);
  if (!isJsonObject(schema)) return schema === true;
  const { type, const: only, enum: values } = schema;
  const name = jsonTypeName(value);
  if (only !== undefined) return jsonTypeName(only) === name;
  if (isJsonArray(values)) return values.some((each) => jsonTypeName(each) === name);
  if (type === undefined) return true;
  const types = isJsonArray(type) ? type : [type];
  return types.includes(name) || (name === 'number' && types.includes('integer'));
}

function jsonTypeName(value: JsonValue): string {
  if (value === null) return 'null';
  return isJsonArray(value) ? 'array' : typeof value;
}
