// Finds the subschemas that apply to a value, or to a part of it. It does not validate: a branch that the value does not take
// applies too, and so does a pattern that cannot be compared safely. For secrets that is the safe error.
import { isJsonObject, type JsonObject, ownMember } from '../lib/json.ts';
import { listIn, referred } from './keywords.ts';

/** @returns what applies to the same value: branches, conditions, the target of `$ref` */
export function included(root: JsonObject, schema: JsonObject): readonly unknown[] {
  const { allOf, anyOf, oneOf, dependentSchemas, $ref } = schema;
  return [
    ...[allOf, anyOf, oneOf].flatMap(listIn),
    ...[schema['if'], schema['then'], schema['else'], referred(root, $ref)],
    ...namesIn(dependentSchemas).map((each) => ownMember(dependentSchemas, each)),
  ];
}

export function ofMember(schema: JsonObject, name: string): readonly unknown[] {
  const named = ownMember(schema['properties'], name);
  const text = anchored(name);
  const matching = patternsIn(schema).filter((each) => !isPlain(each) || text.includes(each));
  const isSure = named !== undefined || matching.some(isPlain);
  return [
    named,
    ...matching.map((each) => ownMember(schema['patternProperties'], each)),
    ...(isSure ? [] : [schema['additionalProperties'], schema['unevaluatedProperties']]),
  ];
}

export function ofItem(schema: JsonObject, index: number): readonly unknown[] {
  const { contains, prefixItems, items, unevaluatedItems } = schema;
  const first = listIn(prefixItems)[index];
  return [contains, ...(first === undefined ? [items, unevaluatedItems] : [first])];
}

export function patternsIn({ patternProperties }: JsonObject): readonly string[] {
  return namesIn(patternProperties);
}

export function namesIn(value: unknown): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

const plain = /^\^?[\w-]*\$?$/;

/** A tenant's pattern may run for hours. Plain ones are compared as text; any other may match. */
export function isPlain(pattern: string): boolean {
  return plain.test(pattern);
}

/** @returns a text that contains a plain pattern exactly when the pattern matches the name */
export function anchored(name: string): string {
  return `^${name.replace(/[$^]/g, ' ')}$`;
}
