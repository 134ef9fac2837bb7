// Finds the property whose value names the form of a union, as `kind` does in
// `anyOf: [{ properties: { kind: { const: 'a' } } }, { properties: { kind: { const: 'b' } } }]`. Pure.
import { isJsonArray, type JsonObject, type JsonValue, ownMember } from '../../lib/json.ts';
import { followed, innerForms, maxDepth, takesType } from './form.ts';

export interface Discriminator {
  readonly property: string;
  /** The values that name a form, with the index of the form. */
  readonly forms: readonly (readonly [value: JsonValue, index: number])[];
}

/** @returns undefined unless each form that takes an object has values of its own for one required property */
export function findDiscriminator(
  members: readonly JsonValue[],
  root: JsonObject,
): Discriminator | undefined {
  const objects = members.flatMap((form, index) => {
    return takesType(form, {}, root) ? [{ form, index }] : [];
  });
  const [first] = objects;
  if (first === undefined || objects.length < 2) return undefined;
  for (const property of requiredNames(first.form, root)) {
    const forms = objects.map(({ form, index }) => {
      const values = literals(form, property, root);
      return values?.map((value) => [value, index] as const);
    });
    const known = forms.flatMap((each) => each ?? []);
    const isEach = forms.every((each) => each !== undefined);
    if (isEach && areDistinct(known)) return { property, forms: known };
  }
  return undefined;
}

function areDistinct(forms: Discriminator['forms']): boolean {
  const owners = new Map<string, number>();
  return forms.every(([value, index]) => {
    const key = JSON.stringify(value);
    const owner = owners.get(key) ?? index;
    owners.set(key, owner);
    return owner === index;
  });
}

/** @returns the required properties of a form, or of the first form within it */
function requiredNames(form: JsonValue, root: JsonObject, depth = 0): readonly string[] {
  const schema = followed(form, root);
  const required = ownMember(schema, 'required');
  if (isJsonArray(required)) return required.filter((name) => typeof name === 'string');
  const [inner] = innerForms(schema);
  return inner === undefined || depth === maxDepth ? [] : requiredNames(inner, root, depth + 1);
}

/** @returns the values that a form permits for a required property; undefined when it permits others, too */
function literals(
  form: JsonValue,
  property: string,
  root: JsonObject,
  depth = 0,
): readonly JsonValue[] | undefined {
  const schema = followed(form, root);
  const inner = innerForms(schema);
  const required = ownMember(schema, 'required');
  if (inner.length > 0 && required === undefined && depth < maxDepth) {
    const each = inner.map((one) => literals(one, property, root, depth + 1));
    const isEach = each.every((values) => values !== undefined);
    return isEach ? each.flat() : undefined;
  }
  if (!isJsonArray(required) || !required.includes(property)) return undefined;
  const named = followed(ownMember(ownMember(schema, 'properties'), property), root);
  const value = ownMember(named, 'const');
  if (value !== undefined) return [value as JsonValue];
  const values = ownMember(named, 'enum');
  return isJsonArray(values) ? values : undefined;
}
