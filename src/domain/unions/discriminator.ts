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
    const forms = formsBy(property, objects, root);
    if (forms !== undefined) return { property, forms };
  }
  return undefined;
}

/** The limit of a union: more values help nobody to choose one. */
const maxValues = 1_000;

/** @returns undefined when a form has no values of its own */
function formsBy(
  property: string,
  objects: readonly { readonly form: JsonValue; readonly index: number }[],
  root: JsonObject,
): Discriminator['forms'] | undefined {
  const literals = literalsOf(property, root);
  const owners = new Map<string, number>();
  const forms: (readonly [JsonValue, number])[] = [];
  for (const { form, index } of objects) {
    const values = literals(form);
    if (values === undefined || forms.length + values.length > maxValues) return undefined;
    for (const value of values) {
      const key = JSON.stringify(value);
      if ((owners.get(key) ?? index) !== index) return undefined;
      owners.set(key, index);
      forms.push([value, index]);
    }
  }
  return forms;
}

/** @returns the required properties of a form, or of the first form within it */
function requiredNames(form: JsonValue, root: JsonObject, depth = 0): readonly string[] {
  const schema = followed(form, root);
  const required = ownMember(schema, 'required');
  if (isJsonArray(required)) return required.filter((name) => typeof name === 'string');
  const [inner] = innerForms(schema);
  return inner === undefined || depth === maxDepth ? [] : requiredNames(inner, root, depth + 1);
}

/**
 * @returns what finds the values that a form permits for a required property; it returns undefined when the form permits others,
 * too, or very many. It remembers each form, of which others may consist, too.
 */
function literalsOf(
  property: string,
  root: JsonObject,
): (form: JsonValue) => readonly JsonValue[] | undefined {
  const known = new Map<unknown, readonly JsonValue[] | undefined>();

  function literals(form: JsonValue, depth: number): readonly JsonValue[] | undefined {
    const schema = followed(form, root);
    if (known.has(schema)) return known.get(schema);
    const inner = innerForms(schema);
    const isUnion = inner.length > 0 && ownMember(schema, 'required') === undefined;
    const found = isUnion && depth < maxDepth ? ofAll(inner, depth) : ownLiterals(schema);
    known.set(schema, found);
    return found;
  }

  function ofAll(forms: readonly JsonValue[], depth: number): readonly JsonValue[] | undefined {
    const all: JsonValue[] = [];
    for (const form of forms) {
      const values = literals(form, depth + 1);
      if (values === undefined || all.length + values.length > maxValues) return undefined;
      all.push(...values);
    }
    return all;
  }

  function ownLiterals(schema: unknown): readonly JsonValue[] | undefined {
    const required = ownMember(schema, 'required');
    if (!isJsonArray(required) || !required.includes(property)) return undefined;
    const named = followed(ownMember(ownMember(schema, 'properties'), property), root);
    const value = ownMember(named, 'const');
    if (value !== undefined) return [value as JsonValue];
    const values = ownMember(named, 'enum');
    return isJsonArray(values) ? values : undefined;
  }

  return (form) => literals(form, 0);
}
