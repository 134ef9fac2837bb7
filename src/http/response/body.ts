// Makes the body of a response from a record: its schema declares the members, and each is the member of the record that has its name
// in camelCase. What the schema does not declare, such as the recorded secrets of a resource, is left out.
import { z } from 'zod';

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;
type MemberOf<Value> = RecordOf<Value> | (null extends Value ? undefined : never);
/** The record of a body. Instead of a text it may have a Date, and undefined instead of null. */
export type RecordOf<Value> = Value extends readonly (infer Item)[]
  ? readonly RecordOf<Item>[]
  : Value extends object
    ? string extends keyof Value
      ? Value
      : { readonly [Name in keyof Value as CamelCase<Name & string>]: MemberOf<Value[Name]> }
    : Value extends string
      ? Value | (string extends Value ? Date : never)
      : Value;

type Presenter = (value: unknown) => unknown;

/** @returns the body of a record, with its members in the order of the schema */
export function presenterOf<S extends z.ZodType>(
  schema: S,
): (record: RecordOf<z.input<S>>) => z.input<S> {
  return presenterFor(schema) as (record: unknown) => z.input<S>;
}

function presenterFor(schema: z.ZodType): Presenter {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    const present = presenterFor(schema.unwrap() as z.ZodType);
    return (value) => (value == null ? value : present(value));
  }
  if (schema instanceof z.ZodArray) {
    const present = presenterFor(schema.element as z.ZodType);
    return (value) => (value as readonly unknown[]).map(present);
  }
  if (schema instanceof z.ZodObject) return presentMembers(schema.shape as z.ZodRawShape);
  return (value) => (value instanceof Date ? value.toISOString() : value);
}

function presentMembers(shape: z.ZodRawShape): Presenter {
  const members = Object.entries(shape as Readonly<Record<string, z.ZodType>>).map(
    ([name, schema]) => ({
      name,
      source: name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      present: presenterFor(schema),
      isOptional: schema instanceof z.ZodOptional,
    }),
  );
  return (record) => {
    const body: Record<string, unknown> = {};
    for (const { name, source, present, isOptional } of members) {
      const value = (record as Readonly<Record<string, unknown>>)[source];
      if (value !== undefined) body[name] = present(value);
      else if (!isOptional) body[name] = null;
    }
    return body;
  };
}
